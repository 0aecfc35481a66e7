import { expect, it } from 'vitest'
import { usePlatform } from '../platform.ts'

const platform = usePlatform()

it('the fingerprint differs after an insert, an update and a deletion of any row, and not after a read or a rollback', async () => {
  const member = await platform.member()
  const seen = [await platform.fingerprint()]
  const { id } = (await member.rest['accountCreate']!({ body: { name: 'Acme' } })).body as { id: string }
  for (const statement of [
    'select * from crm.account for update',
    'update crm.account set name = name where false',
    `update crm.account set name = 'Other' where id = '${id}'`,
    `update crm.account set name = 'Acme' where id = '${id}'`,
    `delete from crm.account where id = '${id}'`,
  ]) {
    seen.push(await platform.fingerprint())
    await platform.query(statement)
  }
  seen.push(await platform.fingerprint())
  const refused = platform.inSeparateTransaction(async (sql) => {
    await sql.query('update identity.organization set name = name')
    throw new Error('rolled back')
  })
  await expect(refused).rejects.toThrow('rolled back')
  seen.push(await platform.fingerprint())

  const distinct = [...new Set(seen)]
  expect(seen.map((each) => distinct.indexOf(each))).toEqual([0, 1, 1, 1, 2, 3, 4, 4])
})
