// hearth cert create, show: a certificate authority and a certificate for this machine.

import { HearthError } from '../../base/errors.ts';
import type { Feature } from '../feature.ts';

const defaultDays = 365;

export const certificatesFeature: Feature = {
  checks: async () => [(await import('./tls-check.ts')).tlsCheck],
  commands: [
    {
      name: 'cert',
      summary: 'Create a certificate for TLS',
      examples: ['hearth cert create'],
      commands: [
        {
          name: 'create',
          summary: 'Create or renew the certificate of this machine',
          description:
            'It is signed by a certificate authority of its own, which is created first if there is none, and which clients must trust once. The certificate is valid for the names and addresses of this machine. A server that uses it takes a renewed one without a restart.',
          options: [
            { flags: '--name <host...>', help: 'Further names or addresses under which clients reach this machine' },
            { flags: '--days <number>', help: `How long it is valid, at most 825 (default ${defaultDays})` },
          ],
          examples: ['hearth cert create', 'hearth cert create --name models.example --days 90'],
          async execute({ terminal: { stdout }, clock }, { options }) {
            const { createCertificate } = await import('./create-certificate.ts');
            const { describeCertificate, describeFiles } = await import('./describe-certificate.ts');
            const names = (options['name'] as readonly string[] | undefined) ?? [];
            const created = await createCertificate({ names, days: Number(options['days'] ?? defaultDays) });
            stdout.write(`${describeFiles(created)}${describeCertificate(created, clock.now())}`);
          },
        },
        {
          name: 'show',
          summary: 'Show the certificate of this machine',
          examples: ['hearth cert show'],
          async execute({ terminal: { stdout }, clock }) {
            const { showCertificate } = await import('./create-certificate.ts');
            const { describeCertificate } = await import('./describe-certificate.ts');
            const shown = await showCertificate();
            if (shown === undefined)
              throw new HearthError('bad_request', 'there is no certificate: create one with `hearth cert create`');
            stdout.write(describeCertificate(shown, clock.now()));
          },
        },
      ],
    },
  ],
};
