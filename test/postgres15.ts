import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { TestProject } from 'vitest/node'
import { isRoot, run, unprivilegedAccount } from '../subgraphs/kernel/database/embedded-account.ts'
import { makePrivate } from '../subgraphs/kernel/database/embedded-folder.ts'
import { startServer } from '../subgraphs/kernel/database/embedded-server.ts'
import { templates } from './loaded-once.ts'
import { programs } from './postgres15-programs.ts'

/** Starts the oldest PostgreSQL that the platform promises, set up as an administrator would for DATABASE_URL. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const account = isRoot() ? await unprivilegedAccount() : {}
  const folder = await mkdtemp(join(tmpdir(), 'crm-15-'))
  await chmod(folder, 0o755)
  const [data, sockets] = [await makePrivate(join(folder, 'data'), account), join(folder, 'sockets')]
  await makePrivate(sockets, account)
  const cluster = ['--username=postgres', '--auth=trust', '--locale=C.UTF-8', '--encoding=UTF8', '--no-sync']
  await run(account, join(programs, 'initdb'), [`--pgdata=${data}`, ...cluster])
  await run(
    account,
    join(programs, 'postgres'),
    ['--single', '-D', data, '-c', 'exit_on_error=on', '-c', 'fsync=off', 'postgres'],
    'CREATE ROLE crm LOGIN CREATEDB CREATEROLE;\nCREATE DATABASE crm OWNER crm;\n',
  )
  const server = await startServer({
    postgres: join(programs, 'postgres'),
    data,
    account,
    settings: {
      listen_addresses: '',
      unix_socket_directories: sockets,
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      autovacuum: 'off',
      jit: 'off',
    },
    log: pino({ level: 'silent' }),
  })
  const { migratedTemplate } = await templates()
  project.provide('templateUrl', await migratedTemplate(`postgres://crm@${encodeURIComponent(sockets)}/crm`))
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
