import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { createExtensions } from './extensions.ts'

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const installed = async (): Promise<string[]> =>
  (await fresh.database.query<{ name: string }>('select extname as name from pg_extension')).map(({ name }) => name)

describe('the extensions of the database', () => {
  it('exist after the migrations, and are not created twice', async () => {
    expect(await installed()).toEqual(expect.arrayContaining(['pg_trgm', 'btree_gin']))
    await createExtensions(fresh.database)
  })

  it('that the server does not have are named, with what an administrator must do', async () => {
    await expect(createExtensions(fresh.database, ['pg_trgm', 'no_such_extension'])).rejects.toThrow(
      /^The database must have the extension no_such_extension, .* run as an administrator in this database: CREATE EXTENSION no_such_extension;$/,
    )
  })
})
