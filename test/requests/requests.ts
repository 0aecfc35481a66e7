import { activeUsers, activeWriters } from '../../subgraphs/identity/public.ts'
import { isId, newId } from '../../subgraphs/kernel/ids.ts'
import type { Contract } from '../../rest-adapter/contract.ts'
import { localModel } from '../../subgraphs/kernel/language-model/local-model.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import type { Platform, Member } from '../platform.ts'
import {
  bodies,
  credentials,
  neededProperties,
  placeholders,
  preparations,
  queries,
  recordsOfPath,
} from './special-cases.ts'
import { typeOfReference } from './field-values.ts'
import { restAreas } from '../rest-areas.ts'
import { sessionOf } from './session.ts'
import { send, type RawResponse, type Sent } from './send.ts'
import { fieldsOf } from './schema.ts'
import { validValue } from './valid-values.ts'

export type Row = Readonly<Record<string, unknown>>

/** A valid request, in parts. */
export interface ValidRequest {
  readonly operation: RestOperation
  readonly path: Readonly<Record<string, string>>
  /** Values of the required parameters. */
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the operation has no body. */
  readonly body: unknown
}

export interface Change {
  readonly query?: string
  /** Text and bytes are sent unchanged; other values as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly method?: string
  /** Replaces the whole path. */
  readonly at?: string
  readonly chunked?: boolean
}

export interface Wanted {
  /** Creates new records for this request, because it changes them. */
  readonly fresh?: boolean
  /** Fills every property of the body, not only the required ones. */
  readonly whole?: boolean
}

let addresses = 0

const freshAddress = (): string => {
  const next = ++addresses
  return `10.${(next >> 16) & 255}.${(next >> 8) & 255}.${next & 255}`
}

/** Merges the required parameters with those of the test. A parameter of the test takes precedence. */
function withRequired(required: ValidRequest['query'], given = ''): string {
  const names = new URLSearchParams(given)
  const missing = Object.entries(required).filter(([name]) => !names.has(name))
  return [
    ...(given === '' ? [] : [given]),
    ...missing.map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  ].join('&')
}

const userNames = ['owner', 'assignedTo', 'user', 'author', 'actor', 'manager']
const userReferences = new Set(
  restAreas.flatMap(({ definition: { references = {} } }) =>
    Object.keys(references).filter((name) => references[name] === activeUsers || references[name] === activeWriters),
  ),
)

const isOpenToMembers = ({ document }: Contract, { path, method }: RestOperation): boolean =>
  document.paths[path]![method]!['x-required-roles']?.includes('MEMBER') ?? true

/** The ids of the records that several requests share. */
const sharedIds = new Set<string>()

const isByKey = ({ path }: RestOperation): boolean => path.endsWith('/by/{field}/{value}')

const isBulkUpsert = ({ path }: RestOperation): boolean => path.endsWith('/batch/upsert')

/** Valid requests to every operation of the contract, built from its schemas and from records created through the API. */
export class Requests {
  readonly contract: Contract
  readonly #records = new Map<string, Promise<Row>>()
  #requested = 0

  private constructor(
    readonly platform: Platform,
    readonly member: Member,
    readonly session: string,
    readonly administrator: Requests | null,
  ) {
    this.contract = platform.contract
  }

  /** With an administrator for a MEMBER: its requests create the records that only other roles may create, such as custom objects. */
  static async of(platform: Platform, member: Member, administrator: Requests | null = null): Promise<Requests> {
    // One user has more texts written than the limits of the language model allow.
    Object.assign(platform.services.languageModel, localModel)
    return new Requests(platform, member, await sessionOf(platform, member), administrator)
  }

  /** The credential that the operation requires: a key, a session, or none. */
  async credentialFor({ scopes, isPublic }: RestOperation): Promise<Record<string, string>> {
    if (isPublic) return {}
    if (scopes.length > 0) return { ...this.member.headers }
    // A new session for each request, because some operations end the sessions of their user.
    return { Authorization: `Bearer ${await sessionOf(this.platform, this.member)}` }
  }

  async valid(operation: RestOperation, { fresh = false, whole = false }: Wanted = {}): Promise<ValidRequest> {
    await this.#makeRoom()
    const path = await this.#pathOf(operation, fresh)
    const special = bodies[operation.documentId]
    const body = special
      ? await special(this, whole)
      : operation.body && (await this.#body(operation, path, fresh, whole))
    const query = (await queries[operation.documentId]?.(this)) ?? this.#requiredQuery(operation)
    const headers = (await credentials[operation.documentId]?.(this)) ?? (await this.credentialFor(operation))
    return { operation, path, query, headers, body: body ?? undefined }
  }

  /** One organization sends more requests than its limits allow, so what they created is removed again. */
  async #makeRoom(): Promise<void> {
    // One user sends all requests, including more invitations than the limits allow.
    await this.platform.query('delete from kernel.mail_count')
    // Neither do more developer organizations than an organization may have: the older ones belong to nobody any more.
    await this.platform.query(
      `update identity.organization set developer_of = null where developer_of is not null and id <> all($1::uuid[]) and id in (
         select id from (
           select id, row_number() over (partition by developer_of order by id desc) as newest
           from identity.organization where developer_of is not null
         ) numbered where newest > 2)`,
      [[...sharedIds]],
    )
    if (this.#requested++ % 10 !== 0) return
    // Neither do more devices than a user may have.
    await this.platform.query(
      `delete from events.push_subscription where id in (select id from events.push_subscription order by id desc offset 3)`,
    )
    // Neither do more webhooks than an organization may have.
    await this.platform.query(
      `update events.webhook set deleted_at = now() where deleted_at is null and id <> all($1::uuid[]) and id in (
         select id from (
           select id, row_number() over (partition by organization_id order by id desc) as newest
           from events.webhook where deleted_at is null
         ) numbered where newest > 40)`,
      [[...sharedIds]],
    )
    // Neither do more AI workflows than an organization may have.
    await this.platform.query(
      `update assistant.ai_trigger set deleted_at = now() where deleted_at is null and id <> all($1::uuid[]) and id in (
         select id from (
           select id, row_number() over (partition by organization_id order by id desc) as newest
           from assistant.ai_trigger where deleted_at is null
         ) numbered where newest > 40)`,
      [[...sharedIds]],
    )
    // Neither do more functions, named credentials, actions, custom objects, layouts, pages or flows than an organization may have.
    for (const table of [
      'extensions.function',
      'extensions.named_credential',
      'extensions.custom_action',
      'extensions.custom_object',
      'extensions.layout',
      'extensions.page',
      'extensions.flow',
    ])
      await this.platform.query(
        `update ${table} set deleted_at = now() where deleted_at is null and id <> all($1::uuid[]) and id in (
           select id from (
             select id, row_number() over (partition by organization_id order by id desc) as newest
             from ${table} where deleted_at is null
           ) numbered where newest > 40)`,
        [[...sharedIds]],
      )
    // Neither do more apps than an organization may have, also deleted ones, or may install.
    const own = [this.member.organizationId]
    await this.platform.query(
      `with old as (select id from extensions.app_package where organization_id = $1 order by id desc offset 15),
         versions as (delete from extensions.app_version where package_id in (select id from old))
       delete from extensions.app_package where id in (select id from old)`,
      own,
    )
    await this.platform.query(
      `delete from extensions.installed_app where id in (
         select id from extensions.installed_app where organization_id = $1 order by id desc offset 15)`,
      own,
    )
    // Neither do more mailboxes than an organization may have.
    await this.platform.query(
      `update outreach.mailbox set deleted_at = now() where deleted_at is null and id <> all($1::uuid[]) and id in (
         select id from (
           select id, row_number() over (partition by organization_id order by id desc) as newest
           from outreach.mailbox where deleted_at is null
         ) numbered where newest > 40)`,
      [[...sharedIds]],
    )
  }

  /** The request to send, with the changes of a test. */
  sent({ operation, path, query, headers, body }: ValidRequest, change: Change = {}): Sent {
    const filled = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]!))
    const given = 'body' in change ? change.body : body
    const isRaw = typeof given === 'string' || Buffer.isBuffer(given)
    const at = change.at ?? filled
    const asked = withRequired(query, change.query)
    return {
      method: change.method ?? operation.method.toUpperCase(),
      path: asked === '' && change.query === undefined ? at : `${at}?${asked}`,
      // Each request uses a different client address, so that no limit per address applies.
      headers: {
        'X-Forwarded-For': freshAddress(),
        ...(given !== undefined && { 'Content-Type': 'application/json' }),
        ...this.#requiredHeaders(operation),
        ...headers,
        ...change.headers,
      },
      ...(given !== undefined && { body: isRaw ? given : JSON.stringify(given) }),
      ...(change.chunked && { chunked: true }),
    }
  }

  send(request: ValidRequest, change: Change = {}): Promise<RawResponse> {
    return send(this.platform.url, this.sent(request, change))
  }

  /** The operation that creates the record of a path: `POST /v1/accounts` for `/v1/accounts/{id}/restore`. */
  creatorOf(path: string): RestOperation | null {
    const parts = path.split('/')
    for (; parts.length > 1; parts.pop()) {
      const place = recordsOfPath[parts.join('/')] ?? parts.join('/')
      const found = this.contract.operations.find(
        (operation) => operation.path === place && operation.method === 'post' && operation.success.status === 201,
      )
      if (found) return found
    }
    return null
  }

  /**
   * The operation that creates the record of a reference field, `accountCreate` for `parentAccountId`; null for users and for record
   * types that do not exist yet.
   */
  creatorOfReference(name: string): RestOperation | null {
    const subject = typeOfReference[name] ?? name.replace(/Ids?$/, '').toLowerCase()
    if (this.isUserReference(name) || userNames.some((user) => user.toLowerCase() === subject)) return null
    const creators = this.contract.operations.filter(({ id }) => id.endsWith('Create'))
    return creators.find(({ id }) => subject.endsWith(id.slice(0, -'Create'.length).toLowerCase())) ?? null
  }

  isUserReference(name: string): boolean {
    return userReferences.has(name) || userNames.includes(name.replace(/Ids?$/, ''))
  }

  /** A record that its create operation created. Requests that do not change it share one record. */
  async record(creator: RestOperation, fresh: boolean, path: Readonly<Record<string, string>> = {}): Promise<Row> {
    if (this.administrator && !isOpenToMembers(this.contract, creator))
      return this.administrator.record(creator, fresh, path)
    if (fresh) return this.#create(creator, path)
    const key = `${creator.id} ${JSON.stringify(path)}`
    let known = this.#records.get(key)
    if (!known) this.#records.set(key, (known = this.#create(creator, path)))
    const row = await known
    if (isId(String(row['id']))) sharedIds.add(String(row['id']))
    return row
  }

  async #create(creator: RestOperation, path: Readonly<Record<string, string>>): Promise<Row> {
    const whole = creator.path.includes('{') ? { ...(await this.#pathOf(creator, false)), ...path } : {}
    const body = (await bodies[creator.documentId]?.(this, false)) ?? (await this.#value(creator, false))
    const answer = await this.send({
      operation: creator,
      path: whole,
      query: {},
      headers: await this.credentialFor(creator),
      body,
    })
    if (answer.status !== 201) throw new Error(`${creator.id} answered ${answer.status}: ${answer.text}`)
    return answer.body as Row
  }

  async #pathOf(operation: RestOperation, fresh: boolean): Promise<Record<string, string>> {
    const path: Record<string, string> = {}
    for (const [placeholder, name] of operation.path.matchAll(/\{(\w+)\}/g)) {
      const above = operation.path.slice(0, operation.path.indexOf(placeholder) - 1)
      const creator = this.creatorOf(above)
      const isFresh = fresh || operation.path.endsWith('/restore') || operation.documentId in preparations
      // A record that no operation creates gets an id, but does not exist.
      const record = creator ? await this.record(creator, isFresh, path) : { id: newId(), ...placeholders }
      path[name!] =
        creator && isByKey(operation) && name === 'value'
          ? await this.#keyOf(operation, creator, record, path, fresh)
          : String(record[name!] ?? placeholders[name!] ?? record['id'])
    }
    await preparations[operation.documentId]?.(this, Object.values(path)[0]!, path)
    if (operation.path.endsWith('/restore')) await this.#delete(operation.path.slice(0, -'/restore'.length), path)
    return path
  }

  /** The external id of a record, which it gets if it has none; a new one for an upsert that creates a record. */
  async #keyOf(
    { method }: RestOperation,
    creator: RestOperation,
    record: Row,
    path: Readonly<Record<string, string>>,
    fresh: boolean,
  ): Promise<string> {
    if (method === 'put' && fresh) return newId()
    if (typeof record['externalId'] === 'string') return record['externalId']
    const operation = this.contract.operations.find(
      (one) => one.method === 'patch' && one.path === `${creator.path}/{id}`,
    )
    if (!operation) throw new Error(`The contract must have an operation that changes the record of ${creator.path}.`)
    const externalId = newId()
    const answer = await this.send({
      operation,
      path: { ...path, id: String(record['id']) },
      query: {},
      headers: await this.credentialFor(operation),
      body: { externalId },
    })
    if (answer.status !== 200) throw new Error(`${operation.id} answered ${answer.status}: ${answer.text}`)
    return externalId
  }

  async #delete(at: string, path: Readonly<Record<string, string>>): Promise<void> {
    const operation = this.contract.operations.find((one) => one.method === 'delete' && one.path === at)
    if (!operation) throw new Error(`The contract must have an operation that deletes the record of ${at}.`)
    await this.send({
      operation,
      path,
      query: {},
      headers: await this.credentialFor(operation),
      body: undefined,
    })
  }

  #requiredQuery({ parameters }: RestOperation): Record<string, string> {
    const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
    return Object.fromEntries(
      required.map(({ name, schema = {} }) => {
        if (this.isUserReference(name)) return [name, this.member.userId]
        const value = schema['example'] ?? validValue(this.contract, schema, name, () => null, false)
        return [name, String(value)]
      }),
    )
  }

  #requiredHeaders({ parameters }: RestOperation): Record<string, string> {
    const required = parameters.filter((parameter) => parameter.in === 'header' && parameter.required)
    return Object.fromEntries(required.map(({ name, schema = {} }) => [name, String(schema['example'])]))
  }

  async #body(operation: RestOperation, path: ValidRequest['path'], fresh: boolean, whole: boolean): Promise<unknown> {
    const creator = operation.success.status === 201 ? null : this.creatorOf(operation.path)
    // Below the records that the path names: a record of the custom object of a path, for example.
    const above = Object.entries(path).filter(([name]) => creator?.path.includes(`{${name}}`))
    const own = creator && (await this.record(creator, fresh, Object.fromEntries(above)))
    // Only a record of its own: a list of ids is that of a deletion, and other requests need the shared record.
    const ids = fresh && own ? { ids: String(own['id']) } : {}
    const value = () => this.#value(operation, whole, { ...(own && { id: String(own['id']) }), ...ids })
    if (!isByKey(operation) && !isBulkUpsert(operation)) return value()
    // An upsert creates a record where the caller does not see the one that the path names.
    const created = fresh || isByKey(operation) ? this.creatorOf(operation.path) : null
    const special = created && bodies[created.documentId]
    const body = special ? await special(this, whole) : created ? await this.#value(created, whole) : await value()
    // The key in the body is that of the path, and the platform gives a new record its id.
    const { externalId, id: _, ...others } = body as Record<string, unknown>
    if (isBulkUpsert(operation)) return created ? { items: [{ ...others, externalId: newId() }] } : body
    return externalId === undefined ? others : { ...others, externalId: path['value'] }
  }

  async #value(
    operation: RestOperation,
    whole: boolean,
    own: { readonly id?: string; readonly ids?: string } = {},
  ): Promise<unknown> {
    const { schema: described } = operation.body!
    const needed = neededProperties[operation.documentId]
    const schema = needed ? { ...described, required: [...(described.required ?? []), ...needed] } : described
    const references = fieldsOf(this.contract, schema).filter((field) => field.schema.format === 'uuid')
    const known = new Map<string, string>()
    for (const { path, required } of references) {
      const name = String(path.findLast((key) => typeof key === 'string'))
      const id = name === 'id' || name === 'ids' ? own[name] : await this.#referenceFor(name, whole || required)
      if (id) known.set(name, id)
    }
    return validValue(this.contract, schema, 'body', (name) => known.get(name) ?? null, whole)
  }

  /** References to records other than the requested one, so that no record becomes its own parent. */
  async #referenceFor(name: string, isNeeded: boolean): Promise<string | null> {
    if (this.isUserReference(name)) return this.member.userId
    const creator = isNeeded ? this.creatorOfReference(name) : null
    if (!creator) return null
    let known = this.#referenced.get(creator.id)
    if (!known) this.#referenced.set(creator.id, (known = this.#create(creator, {})))
    return String((await known)['id'])
  }

  readonly #referenced = new Map<string, Promise<Row>>()
}
