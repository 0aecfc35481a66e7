import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import { rotateKeys, type SealedColumn } from './rotate.ts'
import { platformId, Vault } from './vault.ts'

let fresh: FreshDatabase
const master = randomBytes(32)
const [mine, theirs] = [newId(), newId()]

const notes: SealedColumn = {
  table: 'public.note',
  column: 'body',
  key: ['organization_id', 'id'],
  organization: 'organization_id',
  place: ({ id }) => `note/${String(id)}/body`,
}

beforeAll(async () => {
  fresh = await freshDatabase()
  await fresh.database.query('create table public.note (organization_id uuid, id int, body text)')
})
afterAll(() => fresh.drop())

/** A second process, which has loaded the data keys of these organizations. */
async function vaultWith(...organizations: readonly string[]): Promise<Vault> {
  const vault = new Vault(fresh.database, master)
  for (const organization of organizations) await vault.load(organization)
  return vault
}

describe('Vault', () => {
  it('opens a text that it sealed, but only for the same place and organization', async () => {
    const vault = await vaultWith(mine, theirs)
    const sealed = vault.seal(mine, 'token/1', 'hunter2')
    expect(sealed).toMatch(/^k1\.[\w-]+$/)
    expect(sealed).not.toContain('hunter2')
    expect((await vaultWith(mine)).open(mine, 'token/1', sealed)).toBe('hunter2')
    expect(() => vault.open(mine, 'token/2', sealed)).toThrow()
    expect(() => vault.open(theirs, 'token/1', sealed)).toThrow()
    expect(() => vault.open(mine, 'token/1', `${sealed.slice(0, -2)}AA`)).toThrow()
    expect(() => vault.open(mine, 'token/1', 'plain')).toThrow('The text must be a sealed text (k<version>.<data>).')
  })

  it('creates one first key for concurrent callers', async () => {
    const organization = newId()
    const vaults = Array.from({ length: 20 }, () => new Vault(fresh.database, master))
    await Promise.all(vaults.map((vault) => vault.load(organization)))
    const sealed = vaults.map((vault, index) => vault.seal(organization, 'x', String(index)))
    const opened = sealed.map((text) => vaults[0]!.open(organization, 'x', text))
    expect(opened).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
    const keys = await fresh.database.query('select version from kernel.data_key where organization_id = $1', [
      organization,
    ])
    expect(keys).toEqual([{ version: 1 }])
  })

  it('does not open with another master key, and names the missing variable', async () => {
    await vaultWith(mine)
    await expect(new Vault(fresh.database, randomBytes(32)).load(mine)).rejects.toThrow('ENCRYPTION_KEY_FORMER')
  })

  it('takes no connection inside a transaction, however long ago the keys were read', async () => {
    const single = new Database({ url: fresh.url, connectionsMax: 1 })
    onTestFinished(() => single.close())
    let nowMs = 0
    const vault = new Vault(single, master, [], () => nowMs)
    for (const organization of [mine, platformId]) {
      await vault.load(organization)
      nowMs += 3_600_000
      const opened = await single.transaction(async (sql) => {
        const sealed = vault.seal(organization, 'x', 'in a transaction')
        await sql.query('select 1')
        return vault.open(organization, 'x', sealed)
      })
      expect(opened).toBe('in a transaction')
    }
  })

  it('uses a key that another process has created only after `load`', async () => {
    const organization = newId()
    let nowMs = 0
    const vault = new Vault(fresh.database, master, [], () => nowMs)
    expect(() => vault.seal(organization, 'x', 'y')).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }))
    await vault.load(organization)
    const other = await vaultWith(organization)
    expect(await other.renew(organization)).toBe(2)
    const sealed = other.seal(organization, 'x', 'y')
    expect(sealed).toMatch(/^k2\./)

    expect(() => vault.open(organization, 'x', sealed)).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }))
    await vault.load(organization, sealed)
    expect(vault.open(organization, 'x', sealed)).toBe('y')
    await other.renew(organization)
    nowMs += 61_000
    await vault.load(organization)
    expect(vault.seal(organization, 'x', 'y')).toMatch(/^k3\./)
    await expect(vault.load(organization, sealed.replace('k2.', 'k9.'))).rejects.toThrow('The data key 9')
  })
})

describe('rotateKeys', () => {
  it('seals all texts again under a new master key, and can be repeated', async () => {
    const before = await vaultWith(mine, theirs)
    for (let id = 1; id <= 3; id++) {
      const owner = id === 3 ? theirs : mine
      await fresh.database.query('insert into public.note values ($1, $2, $3)', [
        owner,
        id,
        before.seal(owner, `note/${id}/body`, `secret ${id}`),
      ])
    }
    const next = randomBytes(32)
    const vault = new Vault(fresh.database, next, [master])
    const { rewrapped, resealed } = await rotateKeys(fresh.database, vault, [notes])
    expect(rewrapped).toBeGreaterThanOrEqual(2)
    expect(resealed).toBe(3)

    // The former master key is no longer needed.
    const after = new Vault(fresh.database, next)
    for (const owner of [mine, theirs]) await after.load(owner)
    const rows = await fresh.database.query<{ owner: string; id: number; body: string }>(
      'select organization_id as owner, id, body from public.note order by id',
    )
    for (const { owner, id, body } of rows) {
      expect(body).toMatch(/^k2\./)
      expect(after.open(owner, `note/${id}/body`, body)).toBe(`secret ${id}`)
    }
    expect((await rotateKeys(fresh.database, after, [notes])).rewrapped).toBe(0)
  })
})
