import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ConfigError } from '../config/config.ts'

const execFileOf = promisify(execFile)

/** The operating-system account that a program runs as; empty: the account of this process. */
export interface Account {
  readonly uid?: number
  readonly gid?: number
}

// The server must not inherit the library path, time zone and PG* variables of this process.
export const serverEnvironment = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** Runs a program until it ends. The working directory is `/`, which every account can enter. */
export async function run(account: Account, file: string, args: readonly string[], input?: string): Promise<string> {
  const running = execFileOf(file, args, { ...account, cwd: '/', env: serverEnvironment })
  // A program that ends early closes its input; its own error message is more useful than EPIPE.
  running.child.stdin?.on('error', () => {})
  running.child.stdin?.end(input ?? '')
  return (await running).stdout
}

export async function succeedsAs(account: Account, script: string, ...args: readonly string[]): Promise<boolean> {
  return run(account, 'sh', ['-c', script, ...args]).then(
    () => true,
    () => false,
  )
}

export const isRoot = () => process.getuid?.() === 0

/** PostgreSQL refuses to run as root, so it runs as an existing account without privileges. */
export async function unprivilegedAccount(): Promise<Account> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = [await run({}, 'id', ['-u', name]), await run({}, 'id', ['-g', name])].map(Number)
      if (uid && gid) return { uid, gid }
    } catch {
      continue
    }
  }
  throw new ConfigError(
    'The embedded PostgreSQL cannot run as root, and there is no account "postgres" or "nobody" to run as. ' +
      'Start as another user, or set DATABASE_URL.',
  )
}
