import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { newId } from '../ids.ts'
import { rotateKeys, type SealedColumn } from './rotate.ts'
import { Vault } from './vault.ts'

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

describe('Vault', () => {
  it('opens what it sealed, in the same place and organization only', async () => {
    const vault = new Vault(fresh.database, master)
    const sealed = await vault.seal(mine, 'token/1', 'hunter2')
    expect(sealed).toMatch(/^k1\.[\w-]+$/)
    expect(sealed).not.toContain('hunter2')
    expect(await new Vault(fresh.database, master).open(mine, 'token/1', sealed)).toBe('hunter2')
    await vault.seal(theirs, 'token/1', 'other')
    await expect(vault.open(mine, 'token/2', sealed)).rejects.toThrow()
    await expect(vault.open(theirs, 'token/1', sealed)).rejects.toThrow()
    await expect(vault.open(mine, 'token/1', `${sealed.slice(0, -2)}AA`)).rejects.toThrow()
    await expect(vault.open(mine, 'token/1', 'plain')).rejects.toThrow('This is no sealed text.')
  })

  it('gives one first key to all that ask at once', async () => {
    const organization = newId()
    const vaults = Array.from({ length: 20 }, () => new Vault(fresh.database, master))
    const sealed = await Promise.all(vaults.map((vault, index) => vault.seal(organization, 'x', String(index))))
    const opened = await Promise.all(sealed.map((text) => vaults[0]!.open(organization, 'x', text)))
    expect(opened).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
    const keys = await fresh.database.query('select version from kernel.data_key where organization_id = $1', [
      organization,
    ])
    expect(keys).toEqual([{ version: 1 }])
  })

  it('does not open with another master key, and says which one is missing', async () => {
    const sealed = await new Vault(fresh.database, master).seal(mine, 'x', 'y')
    await expect(new Vault(fresh.database, randomBytes(32)).open(mine, 'x', sealed)).rejects.toThrow(
      'ENCRYPTION_KEY_FORMER',
    )
  })
})

describe('rotateKeys', () => {
  it('seals everything anew under a new master key, and twice does no harm', async () => {
    const before = new Vault(fresh.database, master)
    for (let id = 1; id <= 3; id++) {
      const owner = id === 3 ? theirs : mine
      await fresh.database.query('insert into public.note values ($1, $2, $3)', [
        owner,
        id,
        await before.seal(owner, `note/${id}/body`, `secret ${id}`),
      ])
    }
    const next = randomBytes(32)
    const vault = new Vault(fresh.database, next, [master])
    const { rewrapped, resealed } = await rotateKeys(fresh.database, vault, [notes])
    expect(rewrapped).toBeGreaterThanOrEqual(2)
    expect(resealed).toBe(3)

    // The former master key is not needed any more.
    const after = new Vault(fresh.database, next)
    const rows = await fresh.database.query<{ owner: string; id: number; body: string }>(
      'select organization_id as owner, id, body from public.note order by id',
    )
    for (const { owner, id, body } of rows) {
      expect(body).toMatch(/^k2\./)
      expect(await after.open(owner, `note/${id}/body`, body)).toBe(`secret ${id}`)
    }
    expect((await rotateKeys(fresh.database, after, [notes])).rewrapped).toBe(0)
  })
})
