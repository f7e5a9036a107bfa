import { HomeostatError, errorText } from '../base/errors.ts';

/**
 * Explains why a port could not be bound. Codes: `HOMEOSTAT_PORT_TAKEN`, `HOMEOSTAT_PORT_FORBIDDEN`, `HOMEOSTAT_LISTEN_FAILED`.
 */
export function listenError(error: unknown, host: string, port: number): HomeostatError {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `port ${port} on ${host}`;
  if (code === 'EADDRINUSE') {
    return new HomeostatError(
      'HOMEOSTAT_PORT_TAKEN',
      `The admission server cannot listen: ${where} is taken by another process. Ask \`ss -ltnp 'sport = :${port}'\` which one; stop it, or choose another with --webhook-port, in the Deployment and in the Service alike`,
      { cause: error },
    );
  }
  if (code === 'EACCES') {
    return new HomeostatError(
      'HOMEOSTAT_PORT_FORBIDDEN',
      `The admission server may not listen on ${where}: ports below 1024 need a privilege this process does not have. Configure a port from 1024 up`,
      { cause: error },
    );
  }
  return new HomeostatError(
    'HOMEOSTAT_LISTEN_FAILED',
    `The admission server cannot listen on ${where}: ${errorText(error)}. Check that the address belongs to this machine`,
    { cause: error },
  );
}
