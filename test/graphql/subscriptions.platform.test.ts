import { describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { ways, type Payload } from './live.fixture.ts'

const platform = usePlatform()

const accountChanged = `subscription ($id: ID!, $after: String) {
  recordChanged(object: ACCOUNT, id: $id, after: $after) { type account { name } }
}`

async function created(member: Member, name = 'Acme'): Promise<string> {
  const { body, status } = await member.rest['accountCreate']!({ body: { name } })
  expect(status).toBe(201)
  return body.id
}

const rename = async (member: Member, id: string, name: string): Promise<void> => {
  const { status } = await member.rest['accountUpdate']!({ id, body: { name } })
  expect(status).toBe(200)
}

const told = (type: string, name: string | null): Payload => ({
  data: { recordChanged: { type, account: name === null ? null : { name } } },
})

describe.each(ways)('recordChanged over %s', (_way, subscribe) => {
  it('tells each change of the record in order, and of no other', async () => {
    const member = await platform.member()
    const [id, other] = [await created(member), await created(member)]
    const live = await subscribe(platform, member, accountChanged, { id, after: '0' })
    expect(await live.next()).toEqual(told('account.created', 'Acme'))
    await rename(member, other, 'Other')
    for (const name of ['One', 'Two', 'Three']) {
      await rename(member, id, name)
      expect(await live.next()).toEqual(told('account.updated', name))
    }
  })
})
