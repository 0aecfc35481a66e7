import { afterAll, expect, it } from 'vitest'
import { getDocumentProxy } from 'unpdf'
import { aLine, sentInvoice } from '../builders.ts'
import { expectValidEvents, refusedInputs } from '../expectations.ts'
import { usePlatform } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

const platform = usePlatform()
afterAll(() => expectValidEvents(platform))

async function textOf(response: Response): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()), { verbosity: 0 })
  const { items } = await (await document.getPage(1)).getTextContent()
  return items.map((item) => ('str' in item ? item.str : '')).join('|')
}

/** An admin of a new organization, and the same user with a session, which its settings need. */
async function anAdmin(name: string) {
  const member = await platform.member({ organizationId: await platform.organization(name), role: 'ADMIN' })
  return {
    member,
    rest: restClient(platform.contract, platform.url, { Authorization: `Bearer ${await sessionOf(platform, member)}` }),
  }
}

it('names the seller with its address and tax id, the days, and the tax by rate', async () => {
  const { member, rest } = await anAdmin('Fjordline Freight')
  const settings = { postalAddress: 'Strandgaten 12\r\n5013 Bergen\nNorway', taxId: 'NO 974 760 673 MVA' }
  const { status, body } = await rest.organizationUpdate!({ body: settings })
  expect([status, body.settings]).toEqual([200, expect.objectContaining(settings)])
  const { documentUrl, publicUrl } = await sentInvoice(member, {
    currency: 'EUR',
    discountType: 'PERCENT',
    discountValue: 10,
    lineItems: [
      aLine({ unitPrice: 100, taxRate: 25 }),
      aLine({ unitPrice: 50, taxRate: 25 }),
      aLine({ unitPrice: 33.33, taxRate: 7.5 }),
      aLine({ unitPrice: 10 }),
    ],
  })
  const text = await textOf(await fetch(platform.url + documentUrl, { headers: member.headers }))
  for (const shown of [
    'Fjordline Freight|Strandgaten 12|5013 Bergen|Norway|Tax id NO 974 760 673 MVA',
    'Invoice date|1 February 2027',
    'Due date|3 March 2027',
    'Tax 0% on €9.00|€0.00',
    'Tax 7.5% on €30.00|€2.25',
    'Tax 25% on €135.00|€33.75',
    'Tax|€36.00',
    'Total|€210.00',
  ])
    expect(text.replace(/\|(?: \|)+/g, '|').replace(/\|+/g, '|')).toContain(shown)
  const html = await (await fetch(publicUrl)).text()
  for (const shown of ['<p>Strandgaten 12</p><p>5013 Bergen</p><p>Norway</p>', 'NO 974 760 673 MVA'])
    expect(html).toContain(shown)
})

it('has only what the organization has set, which may not be longer than documented', async () => {
  const { member, rest } = await anAdmin('Plain')
  const tooLong = { postalAddress: 'x'.repeat(501), taxId: 'x'.repeat(51) }
  expect((await refusedInputs(platform, () => rest.organizationUpdate!({ body: tooLong }))).slice(2)).toEqual([
    'postalAddress TOO_LONG',
    'taxId TOO_LONG',
  ])
  const { settings } = (await rest.organizationAdministered!()).body
  expect(settings).toMatchObject({ postalAddress: null, taxId: null })
  const { documentUrl } = await sentInvoice(member)
  const text = await textOf(await fetch(platform.url + documentUrl, { headers: member.headers }))
  expect(text).toContain('Tax 19% on $100.00')
  expect(text).not.toContain('Tax id')
})
