import { spawnSync } from 'node:child_process'
import { chmod, chown, mkdir, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRoot, unprivilegedAccount } from './embedded-account.ts'
import { ask, connected, ended, log, module, place, serverPid, startApart, useFreshPlace } from './embedded.fixture.ts'
import { startEmbeddedPostgres } from './embedded.ts'

describe.runIf(isRoot())('startEmbeddedPostgres as root', () => {
  useFreshPlace()

  it('runs the server as an account without privileges, in a folder that only that account reads', async () => {
    await mkdir(place.dataDir, { mode: 0o700 })
    const server = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    const data = await stat(join(place.dataDir, 'postgres/data'))
    expect({ uid: data.uid, mode: data.mode & 0o777 }).toEqual({ uid: (await unprivilegedAccount()).uid, mode: 0o700 })
    expect((await stat(`/proc/${await serverPid()}`)).uid).toBe(data.uid)
    expect((await stat(place.dataDir)).mode & 0o777).toBe(0o711)
    await server.stop()
  })

  it('keeps the database in a folder that the account can reach when it cannot enter the data folder', async () => {
    await chmod(place.parent, 0o700)
    const server = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    await ask(server.url, 'CREATE TABLE kept AS SELECT 3 AS three')
    await server.stop()
    const elsewhere = await realpath(join(place.dataDir, 'postgres'))
    expect(elsewhere).toMatch(/^\/var\/lib\/crm-platform-api\/data-\w{6}$/)

    const again = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
    expect(await ask(again.url, 'SELECT three FROM kept')).toEqual({ three: 3 })
    await again.stop()
    await rm(elsewhere, { recursive: true })
    await expect(startEmbeddedPostgres({ dataDir: place.dataDir, log })).rejects.toThrow(
      `DATA_DIR: ${join(place.dataDir, 'postgres')} links to a folder that does not exist. Remove the link to start with an empty database.`,
    )
  })

  it('starts on a folder that was copied by root', async () => {
    await (await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })).stop()
    const copy = join(place.parent, 'copy')
    spawnSync('cp', ['-r', place.dataDir, copy])
    const server = await startEmbeddedPostgres({ dataDir: copy, log, durable: false })
    expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
    await server.stop()
  })

  const reads = spawnSync(process.execPath, ['-e', `import(${JSON.stringify(module)})`], {
    uid: 65534,
    gid: 65534,
    cwd: '/',
  })
  it.runIf(reads.status === 0)(
    'serves an ordinary user, and root then serves the same folder as that user',
    async () => {
      const account = await unprivilegedAccount()
      await chown(place.parent, account.uid!, account.gid!)
      const { child, url, error } = await startApart(place.dataDir, account)
      expect(error).toBeUndefined()
      await expect(connected(url)).rejects.toThrow('Peer authentication failed for user "crm"')
      expect(await ended(child)).toBe(0)

      const server = await startEmbeddedPostgres({ dataDir: place.dataDir, log, durable: false })
      expect(await ask(server.url, 'SELECT 1 AS one')).toEqual({ one: 1 })
      await server.stop()
    },
  )
})
