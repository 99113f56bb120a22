#!/bin/sh
# Starts the command in a container. Others can reach the server, so the first start creates a key and prints it once.
set -e
if [ "$1" = serve ] && [ -z "$HEARTH_ALLOW_OPEN" ] && [ ! -e "${HEARTH_KEYS_FILE:-$HOME/.hearth/keys.json}" ]; then
  hearth keys create admin --scope admin
fi
exec hearth "$@"
