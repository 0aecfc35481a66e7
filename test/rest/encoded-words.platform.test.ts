import { readFileSync } from 'node:fs'
import { Kind, parse, print } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { contact, invoice, lead, quote } from '../builders.ts'
import { newDirectory } from '../directory.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { graphqlClient } from '../rest-client.ts'
import { unchanged } from '../expectations.ts'

const platform = usePlatform()
/** Mail programs show it as `v@corp.example`. */
const encodedWord = '=?utf-8?q?v=40corp.example?=@x.example'
const password = 'Correct horse 7!'
const lineItems = [{ name: 'Fee', quantity: 1, unitPrice: 100 }]

/** Inputs that take an address as a text to compare with, or to keep as others wrote it. */
const exceptions = new Set([
  'LoginInput.email',
  // What somebody logs as the address that was used in a call or mail; nothing is sent to it.
  'ParticipantInput.email',
  // The name of an account of another service.
  'NamedCredentialCreateInput.username',
  'NamedCredentialUpdateInput.username',
])

const isAddress = (name: string): boolean => /emails?$|^(to|cc|bcc|from|userName)$/i.test(name)

/** Every input field of the graph that is an address: `ContactCreateInput.email`. Filters only compare. */
function addressInputs(): string[] {
  const { definitions } = parse(readFileSync(schemaPath('supergraph.graphql'), 'utf8'), { noLocation: true })
  return definitions.flatMap((definition) =>
    definition.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION || definition.name.value.endsWith('Filter')
      ? []
      : (definition.fields ?? [])
          .filter(({ name, type }) => isAddress(name.value) && /^\[?String!?\]?!?$/.test(print(type)))
          .map(({ name }) => `${definition.name.value}.${name.value}`),
  )
}

interface Use {
  /** The mutation with its input, which has the type of the tested input if it is not given. */
  readonly field: string
  readonly as?: Readonly<Record<string, string>>
  readonly more?: object
  /** The path of the refused input. */
  readonly path?: string
  /** The input as a variable, with the address in its place. */
  readonly nested?: (input: object) => object
}

let owner: Member
let uses: Readonly<Record<string, Use>>

beforeAll(async () => {
  owner = await platform.member({ role: 'OWNER' })
  const session = { Authorization: `Bearer ${await sessionOf(platform, owner)}` }
  const directory = await newDirectory(platform)
  const token = { Authorization: `Bearer ${directory.token}` }
  const [{ id: contactId }, { id: leadId }] = [await contact(owner), await lead(owner)]
  const mailbox = { name: 'Ann', email: 'ann@fjordline.example', smtpHost: 'mail.fjordline.example', smtpPort: 587 }
  const { body: box } = await owner.rest.mailboxCreate!({ body: mailbox })
  const { body: draft } = await owner.rest.smartEmailCompose!({ body: { toEmails: ['ida@customer.example'] } })
  const sentQuote = await quote(owner, { lineItems })
  await owner.rest.quoteSend!({ id: sentQuote.id, body: { to: 'ida@customer.example' } })
  const key = owner.headers
  const text = { subject: 'Slots', bodyText: 'Hello' }
  const inbound = { from: 'ida@customer.example', to: ['ann@fjordline.example'], subject: 'x', text: 'x' }
  const mailed = { messageId: '<m1@customer.example>' }
  const code = { code: '12345678' }
  const to = ['ida@customer.example']
  uses = {
    'ContactBulkUpdateItem.email': bulk('contactBulkUpdate', 'ContactBulkUpdateItem', contactId),
    'ContactBulkUpdateItem.secondaryEmails': bulk('contactBulkUpdate', 'ContactBulkUpdateItem', contactId),
    'ContactCreateInput.email': { field: 'contactCreate(input: $input) { id }', as: key, more: { lastName: 'Lee' } },
    'ContactCreateInput.secondaryEmails': {
      field: 'contactCreate(input: $input) { id }',
      as: key,
      more: { lastName: 'Lee' },
    },
    'ContactUpdateInput.email': { field: `contactUpdate(id: "${contactId}", input: $input) { id }`, as: key },
    'ContactUpdateInput.secondaryEmails': { field: `contactUpdate(id: "${contactId}", input: $input) { id }`, as: key },
    'EmailInput.email': { field: 'authForgotPassword(input: $input) { accepted }' },
    'EmailInboundInput.from': {
      field: 'emailInboundReceive(input: $input) { accepted }',
      as: key,
      more: { ...inbound, ...mailed },
    },
    'EmailInboundInput.to': {
      field: 'emailInboundReceive(input: $input) { accepted }',
      as: key,
      more: { ...inbound, ...mailed },
    },
    'EmailInboundInput.cc': {
      field: 'emailInboundReceive(input: $input) { accepted }',
      as: key,
      more: { ...inbound, ...mailed },
    },
    'EmailSendInput.to': { field: 'emailSend(input: $input) { id }', as: key, more: text },
    'EmailSendInput.cc': { field: 'emailSend(input: $input) { id }', as: key, more: { to, ...text } },
    'EmailSendInput.bcc': { field: 'emailSend(input: $input) { id }', as: key, more: { to, ...text } },
    'LeadBulkUpdateItem.email': bulk('leadBulkUpdate', 'LeadBulkUpdateItem', leadId),
    'LeadCreateInput.email': {
      field: 'leadCreate(input: $input) { id }',
      as: key,
      more: { firstName: 'Ann', lastName: 'Lee' },
    },
    'LeadUpdateInput.email': { field: `leadUpdate(id: "${leadId}", input: $input) { id }`, as: key },
    'MailboxCreateInput.email': { field: 'mailboxCreate(input: $input) { id }', as: key, more: mailbox },
    'MailboxUpdateInput.email': { field: `mailboxUpdate(id: "${box.id}", input: $input) { id }`, as: key },
    'PartnerInviteInput.email': { field: 'partnerInvite(input: $input) { email }', as: session },
    'QuoteAcceptInput.email': decision('quoteAccept'),
    'QuoteDeclineInput.email': decision('quoteDecline'),
    'RegisterInput.email': { field: 'authRegister(input: $input) { accessToken }', more: { password } },
    'ResetCodeInput.email': { field: 'authVerifyResetCode(input: $input) { valid }', more: code },
    'ResetPasswordInput.email': {
      field: 'authResetPassword(input: $input) { changedAt }',
      more: { ...code, newPassword: password },
    },
    'ScimUserInput.userName': { field: 'scimUserCreate(input: $input) { id }', as: token },
    'SmartEmailComposeInput.toEmails': { field: 'smartEmailCompose(input: $input) { id }', as: key },
    ...Object.fromEntries(
      ['toEmails', 'ccEmails', 'bccEmails'].flatMap((name) => [
        [
          `SmartEmailDraftCreateInput.${name}`,
          {
            field: 'smartEmailDraftCreate(input: $input) { id }',
            as: key,
            more: { subject: 'x', bodyHtml: '<p>x</p>' },
          },
        ],
        [
          `SmartEmailDraftUpdateInput.${name}`,
          { field: `smartEmailDraftUpdate(id: "${draft.id}", input: $input) { id }`, as: key },
        ],
      ]),
    ),
    ...upserts('contact', { lastName: 'Lee' }, ['email', 'secondaryEmails']),
    ...upserts('lead', { firstName: 'Ann', lastName: 'Lee' }, ['email']),
    ...upserts('mailbox', { name: 'Ann', smtpHost: 'mail.fjordline.example', smtpPort: 587 }, ['email']),
    ...upserts('smartEmailDraft', { subject: 'x', bodyHtml: '<p>x</p>' }, ['toEmails', 'ccEmails', 'bccEmails']),
    'UserInviteInput.email': { field: 'userInvite(input: $input) { id }', as: session },
  }
  function decision(name: string): Use {
    return {
      field: `${name}(id: "${sentQuote.id}", input: $input) { id }`,
      as: owner.headers,
      more: { name: 'Ann', method: 'EMAIL' },
    }
  }
  /** A record is written by its external id, alone and among others. */
  function upserts(name: string, more: object, inputs: readonly string[]): Record<string, Use> {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}`
    const single = { field: `${name}Upsert(value: "x", input: $input) { __typename }`, as: owner.headers, more }
    const many = {
      field: `${name}BulkUpsert(items: $input) { results { errors } }`,
      as: owner.headers,
      more: { externalId: 'x', ...more },
      nested: (item: object) => [item],
    }
    return Object.fromEntries(
      inputs.flatMap((input) => [
        [`${type}UpsertInput.${input}`, single],
        [`${type}BulkUpsertItem.${input}`, many],
      ]),
    )
  }
  function bulk(name: string, type: string, id: unknown): Use {
    return {
      field: `${name}(items: $input) { results { errors } }`,
      as: owner.headers,
      more: { id },
      nested: (item) => [item],
    }
  }
})

const isList = (name: string): boolean => /s$|^(to|cc|bcc)$/i.test(name)

describe('an encoded word', () => {
  it('is tested for every input of an address', () => {
    expect(Object.keys(uses).toSorted()).toEqual(
      addressInputs()
        .filter((name) => !exceptions.has(name))
        .toSorted(),
    )
  })

  it.each(addressInputs().filter((name) => !exceptions.has(name)))('is no address for %s', async (input) => {
    const [type, name] = input.split('.') as [string, string]
    const { field, as = {}, more = {}, nested = (given) => given } = uses[input]!
    const given = { ...more, [name]: isList(name) ? [encodedWord] : encodedWord }
    const typed = field.includes('items: $input') ? `[${type}!]!` : `${type}!`
    const ask = () =>
      graphqlClient(platform.url, as)(`mutation ($input: ${typed}) { ${field} }`, { input: nested(given) })
    // A bulk change is answered item by item, and the use of a token of a directory is noted.
    const isCompared = !field.includes('items: $input') && type !== 'ScimUserInput'
    const { body } = isCompared ? await unchanged(platform, ask) : await ask()
    const answered = body.errors ?? Object.values(body.data as object).flatMap(({ results }) => results)
    expect(JSON.stringify(answered)).toMatch(new RegExp(`"path":"(\\w+\\.)?${name}(\\.0)?"`))
  })

  it.each(['quote', 'invoice'])('is no recipient of a %s', async (object) => {
    const { id } = object === 'quote' ? await quote(owner, { lineItems }) : await invoice(owner)
    const send = () => owner.rest[`${object}Send`]!({ id, body: { to: encodedWord } })
    const { status, body } = await unchanged(platform, send)
    expect([status, body.errors]).toMatchObject([400, [{ path: 'to' }]])
  })
})
