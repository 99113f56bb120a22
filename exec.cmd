@rem cmd.exe has no exec: run what follows. On other systems `npm start` replaces its shell, so that signals reach the server.
@%*
