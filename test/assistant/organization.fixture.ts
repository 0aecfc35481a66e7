import { loadDemo } from '../../subgraphs/demo/demo.ts'
import { organizationIdOf } from '../../subgraphs/demo/organization.ts'
import { profiles } from '../../subgraphs/demo/profiles.ts'
import { answerLocally, type LocalAnswer, type LocalQuestion } from '../../subgraphs/assistant/question/public.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { portsOf, requestContext, type RequestContext } from '../../subgraphs/kernel/request.ts'
import type { Platform } from '../platform.ts'
import { tables, type Truth } from './truth.ts'

export const zone = 'Europe/Berlin'

/** Names that no other record of the organization has, for the placeholders of the questions. */
const placeholders: Readonly<Record<string, readonly [table: string, name: string, where: string]>> = {
  account: [
    tables.account,
    'name',
    `(select count(*) from crm.opportunity x where x.account_id = t.id and not x.is_closed) > 0
       and not exists (select from crm.lead l where l.organization_id = t.organization_id and lower(l.company) = lower(t.name))`,
  ],
  contact: [tables.contact, 'name', 'email is not null'],
  deal: [tables.deal, 'name', 'not is_closed'],
  lead: [tables.lead, 'name', 'company is not null'],
  invoice: [tables.invoice, 'invoice_number', 'invoice_number is not null'],
  quote: [tables.quote, 'quote_number', 'true'],
  order: [tables.order, 'order_number', 'true'],
  product: [tables.product, 'name', 'true'],
}

export interface Named {
  readonly id: string
  readonly name: string
}

/** The context of a request of this caller. */
export const contextOf = ({ services }: Platform, caller: Caller): RequestContext<'graph'> =>
  requestContext({ caller, requestId: newId(), idempotency: null }, services, { ports: portsOf(services, ['graph']) })

/** The organization of the demo, one of its users, and the names in the questions. */
export class SeededOrganization {
  readonly named = new Map<string, Named>()

  private constructor(
    readonly platform: Platform,
    readonly caller: Caller,
  ) {}

  static async load(platform: Platform): Promise<SeededOrganization> {
    const [profile] = profiles
    const { services, dataDir, url } = platform
    await loadDemo({ services, dataDir, baseUrl: url, profiles })
    const organizationId = organizationIdOf(profile!)
    const [user] = await platform.query<Named>(
      `select u.id, u.name from identity.user_name u join crm.opportunity o on o.owner_id = u.id and not o.is_closed and o.deleted_at is null
       where u.organization_id = '${organizationId}' group by u.id, u.name order by count(*) desc, u.id limit 1`,
    )
    const [organization] = await platform.query<{ entitlements: string[] }>(
      `select entitlements from identity.organization where id = '${organizationId}'`,
    )
    const seeded = new SeededOrganization(platform, {
      kind: 'API_KEY',
      organizationId,
      userId: user!.id,
      role: 'OWNER',
      visibility: 'ALL',
      ownerIds: null,
      fields: null,
      entitlements: organization!.entitlements,
      scopes: ['*'],
      credentialId: newId(),
      ip: '127.0.0.1',
      userAgent: 'test',
    })
    seeded.named.set('user', user!)
    for (const [key, [table, name, where]] of Object.entries(placeholders)) {
      const [found] = await platform.query<Named>(
        `select t.id, t.${name} as name from ${table} t where t.organization_id = '${organizationId}' and t.deleted_at is null and ${where}
         and (select count(*) from ${table} o where o.organization_id = t.organization_id and lower(o.${name}) = lower(t.${name})) = 1
         order by t.id limit 1`,
      )
      seeded.named.set(key, found!)
    }
    return seeded
  }

  question = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_, key: string) => this.named.get(key)!.name)

  ask(text: string, more: Partial<LocalQuestion> = {}, caller: Caller = this.caller): Promise<LocalAnswer> {
    const account = this.named.get('account')!
    const context = { entityType: 'ACCOUNT', entityId: account.id, entityName: account.name, route: null }
    return answerLocally(contextOf(this.platform, caller), { message: this.question(text), context, zone, ...more })
  }

  rows<R>({ table, where }: Truth, select: string, rest = ''): Promise<R[]> {
    const text = `${select} from ${table} where organization_id = $o and deleted_at is null and (${where}) ${rest}`
    const literal = (value: string) => `'${value}'`
    return this.platform.query<R>(
      text
        .replaceAll('$o', literal(this.caller.organizationId))
        .replaceAll('$me', literal(this.caller.userId))
        .replaceAll('$now', literal(this.platform.now.toISOString()))
        .replaceAll('$zone', literal(zone))
        .replaceAll(/\{(\w+)\}/g, (_, key: string) => literal(this.named.get(key)!.id)),
    )
  }
}
