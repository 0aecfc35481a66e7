import { beforeAll, describe, expect, it } from 'vitest'
import { getDocumentProxy } from 'unpdf'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, aLine, order, quote } from '../builders.ts'
import { refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let stranger: Member

beforeAll(async () => {
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})

async function textOf(pdf: Buffer): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(pdf), { verbosity: 0 })
  const { items } = await (await document.getPage(1)).getTextContent()
  return items.map((item) => ('str' in item ? item.str : '')).join('|')
}

const download = (path: string, headers: object = {}, from: Member = member): Promise<Response> =>
  fetch(platform.url + path, { headers: { ...from.headers, ...headers } })

const documents = [
  { area: 'quotes', object: 'quote', type: 'Quote', title: 'QUOTE', create: quote },
  { area: 'orders', object: 'order', type: 'Order', title: 'ORDER', create: order },
] as const

describe.each(documents)('$objectDocument', ({ area, object, title, create }) => {
  const created = async () => {
    const { id: accountId } = await account(member, { name: 'Baltic Ferries' })
    const record = await create(member, { accountId, currency: 'EUR', lineItems: [aLine({ unitPrice: 450.5 })] })
    return { ...record, accountId }
  }

  it('is the PDF at documentUrl, as an attachment, for its readers only', async () => {
    const { id, documentUrl, [`${object}Number`]: number } = await created()
    expect(documentUrl).toBe(`/v1/${area}/${id}/document`)
    const response = await download(documentUrl)
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('content-disposition'),
    ]).toEqual([200, 'application/pdf', `attachment; filename="${number}.pdf"`])
    const text = await textOf(Buffer.from(await response.arrayBuffer()))
    for (const shown of [title, number, 'Baltic Ferries', 'Onboarding', '€450.50']) expect(text).toContain(shown)

    const other = `${object}Document`
    expect(await refused(platform, () => stranger.rest[other]!({ id }))).toEqual([404, 'NOT_FOUND'])
    expect(await refused(platform, () => member.rest[other]!({ id: newId() }))).toEqual([404, 'NOT_FOUND'])
    await member.rest[`${object}Delete`]!({ id })
    expect(await refused(platform, () => member.rest[other]!({ id }))).toEqual([404, 'NOT_FOUND'])
  })

  it('has an ETag that follows the record and what the PDF shows of others', async () => {
    const { id, documentUrl, accountId } = await created()
    const tag = async (known?: string) => {
      const { status, headers } = await download(documentUrl, known === undefined ? {} : { 'if-none-match': known })
      return [status, headers.get('etag')!] as const
    }
    const [, first] = await tag()
    expect(first).toMatch(/^"1-[\w-]{43}"$/)
    expect(await tag(first)).toEqual([304, first])
    await member.rest.accountUpdate!({ id: accountId, body: { name: 'Baltic Lines' } })
    const [renamed, second] = await tag(first)
    expect([renamed, second === first]).toEqual([200, false])
    await member.rest[`${object}Update`]!({ id, body: { terms: 'Net.' } })
    const [changed, third] = await tag(second)
    expect([changed, third.startsWith('"2-')]).toEqual([200, true])
  })

  it('is Base64 in GraphQL', async () => {
    const { id, [`${object}Number`]: number } = await created()
    const query = `query($id: ID!) { file: ${object}Document(id: $id) { filename contentType content version } }`
    const { file } = (await member.graphql(query, { id })).body.data
    expect(file).toMatchObject({ filename: `${number}.pdf`, contentType: 'application/pdf', version: 1 })
    expect(await textOf(Buffer.from(file.content, 'base64'))).toContain(number)
  })

  it('is refused with 403 to a caller whose profile hides what it prints, and without the scope', async () => {
    const { id } = await created()
    const scopeless = await platform.member({ scopes: ['READ_ACCOUNTS'] })
    expect((await scopeless.rest[`${object}Document`]!({ id })).status).toBe(403)
    const restricted = await platform.member()
    const ctx = systemContext(platform.services, restricted.organizationId)
    const profile = await createProfile(ctx, { name: newId(), fields: { [object]: { terms: 'HIDDEN' } } })
    await assignProfile(ctx, restricted.userId, profile.id)
    const refusal = await restricted.rest[`${object}Document`]!({ id })
    expect([refusal.status, refusal.body.code, refusal.body.errors[0].path]).toEqual([
      403,
      'FIELD_NOT_READABLE',
      'terms',
    ])
  })
})

describe('orderDocument', () => {
  it('is a confirmation as long as the order is confirmed', async () => {
    const { id, documentUrl } = await order(member, { lineItems: [aLine()] })
    const text = async () => textOf(Buffer.from(await (await download(documentUrl)).arrayBuffer()))
    expect(await text()).toContain('Draft, not confirmed')
    await member.rest.orderConfirm!({ id })
    expect(await text()).toContain('ORDER CONFIRMATION')
    await member.rest.orderCancel!({ id })
    const cancelled = await text()
    expect([cancelled.includes('ORDER CONFIRMATION'), cancelled.includes('Cancelled')]).toEqual([false, true])
  })
})
