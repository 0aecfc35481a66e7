import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { typesOf, type Schema } from '../../rest-adapter/openapi.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { restContract } from '../contract-of-rest.ts'
import { usePlatform } from '../platform.ts'
import { Requests, type ValidRequest } from './requests.ts'
import { fieldsOf, valueAt, type Path } from './schema.ts'
import type { RawResponse } from './send.ts'
import { dependentFields, exclusiveParts, needsOtherParty } from './special-cases.ts'

const platform = usePlatform()
let requests: Requests
let tables: readonly string[]

beforeAll(async () => {
  requests = await Requests.of(platform, await platform.member({ role: 'OWNER' }))
  const rows = await platform.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and relnamespace::regnamespace::text not in ('pg_catalog', 'information_schema', 'test')`,
  )
  tables = rows.map(({ name }) => name)
})

/** Texts that are neither stored nor answered, and what they are for. */
const notKept: Readonly<Record<string, string>> = {
  'customFieldCheckFormula.name': 'of the field whose formula is checked, which is not stored',
  'invoiceSend.message': 'part of a mail, which is encrypted',
  'leadConvert.stage': 'of an opportunity, which this conversion does not create',
  'mailboxCreate.smtpPassword': 'encrypted',
  'mailboxCreate.imapPassword': 'encrypted',
  'mailboxUpdate.smtpPassword': 'encrypted',
  'mailboxUpsert.smtpPassword': 'encrypted',
  'mailboxUpsert.imapPassword': 'encrypted',
  'mailboxUpdate.imapPassword': 'encrypted',
  'quoteSend.message': 'part of a mail, which is encrypted',
  'serverlessFunctionSecretSet.value': 'encrypted',
}

/** Texts with a meaning are refused, as many at once as an answer names. */
const refusedMax = 5

/** A text that means nothing to the platform. */
const isFree = (schema: Schema): boolean =>
  typesOf(schema).includes('string') &&
  !['format', 'enum', 'pattern', 'const', 'writeOnly'].some((name) => name in schema) &&
  (schema['maxLength'] === undefined || schema['maxLength'] >= 40)

const withValue = (body: unknown, [key, ...rest]: Path, value: string): unknown => {
  if (key === undefined) return value
  const copy: Record<string | number, unknown> = Array.isArray(body) ? ([...body] as never) : { ...(body as object) }
  copy[key] = withValue(copy[key], rest, value)
  return copy
}

async function isStored(text: string): Promise<boolean> {
  const parts = tables.map((table) => `(select 1 from ${table} t where t::text like '%${text}%' limit 1)`)
  return (await platform.query(parts.join(' union all '))).length > 0
}

const { operations } = restContract()
const tried = operations.filter(
  ({ id, documentId, body, method, scopes }) =>
    id === documentId &&
    body !== null &&
    method !== 'get' &&
    scopes.some((scope) => scope.startsWith('WRITE_')) &&
    !needsOtherParty.has(documentId) &&
    !dependentFields.has(id) &&
    !exclusiveParts[id] &&
    // Their items are those of single changes.
    !id.includes('Bulk'),
)

/** The places of free texts in a body. */
const placesIn = ({ body }: RestOperation, sent: unknown): Path[] =>
  fieldsOf(requests.contract, body!.schema)
    .filter(({ path, schema }) => isFree(schema) && typeof valueAt(sent, path) === 'string')
    .map(({ path }) => path)

interface Sent {
  readonly answer: RawResponse
  /** The texts by their places. */
  readonly texts: ReadonlyMap<string, string>
}

/** Sends the request with a text of its own at each place. Places that are refused have a meaning to the platform, and keep their values. */
async function sendTexts(request: ValidRequest, places: readonly Path[], refusals = 0): Promise<Sent> {
  const texts = new Map(places.map((path) => [path.join('.'), `t${randomUUID().replaceAll('-', '')}`]))
  const body = places.reduce((sent, path) => withValue(sent, path, texts.get(path.join('.'))!), request.body)
  const answer = await requests.send({ ...request, body })
  if (answer.status !== 400 || refusals === refusedMax) return { answer, texts }
  const refused = ((answer.body.errors ?? []) as { readonly path: string }[]).map(({ path }) => path)
  const others = places.filter((path) => !refused.some((one) => `${path.join('.')}.`.startsWith(`${one}.`)))
  return sendTexts(request, others, refusals + 1)
}

describe.each(tried.map((operation) => [operation.id, operation] as const))('%s', (id, operation) => {
  it('stores or answers every text that it accepts', async () => {
    const request = await requests.valid(operation, { fresh: true, whole: true })
    const places = placesIn(operation, request.body).filter((path) => !(`${id}.${path.join('.')}` in notKept))
    const { answer, texts } = await sendTexts(request, places)
    expect([answer.status, answer.status < 400 ? '' : answer.text]).toEqual([operation.success.status, ''])
    const lost: string[] = []
    for (const [path, text] of texts) if (!answer.text.includes(text) && !(await isStored(text))) lost.push(path)
    expect(lost).toEqual([])
  })
})
