import { activeUsers, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { registerUse } from '../used-by.ts'
import { credentialsMax } from './bounds.ts'
import { namedCredentialEvents } from './named-credential.events.ts'
import { authenticationProblems } from './named-credential.rules.ts'
import { NamedCredential } from './named-credential.ts'

/** Each request of an action or hook is compared with every credential of its organization. */
const fewCredentials: SerializedRule<NamedCredential> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from extensions.named_credential where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < credentialsMax) return []
    const message = `An organization must have at most ${credentialsMax} named credentials; delete one first.`
    return [{ path: 'apiName', code: 'TOO_MANY', message }]
  },
}

const audited = (one: NamedCredential) => ({
  apiName: one.apiName,
  label: one.label,
  description: one.description,
  baseUrl: one.baseUrl,
  authType: one.authType,
  headerName: one.headerName,
  username: one.username,
  tokenUrl: one.tokenUrl,
  clientId: one.clientId,
  scopes: one.scopes,
  staticHeaders: Object.keys(one.staticHeaders),
  timeoutMs: one.timeoutMs,
  isActive: one.isActive,
  secretStatus: one.secretStatus,
})

export const namedCredential: RecordDefinition<NamedCredential> = defineRecord(NamedCredential, {
  object: 'named_credential',
  table: 'extensions.named_credential',
  visibleBy: [],
  searchable: ['apiName', 'label', 'description', 'baseUrl'],
  references: { ownerId: activeUsers },
  unique: { named_credential_api_name: 'apiName' },
  events: namedCredentialEvents,
  isAdministrative: true,
  audit: auditRecord('named_credential', audited),
  calculated: ({ authType, sealedSecret }) => ({
    secretStatus: authType === 'NONE' ? 'NOT_NEEDED' : sealedSecret === null ? 'MISSING' : 'SET',
  }),
  invariants: authenticationProblems,
  serializedRules: [fewCredentials],
})

registerUse({
  used: 'named_credential',
  user: 'webhook',
  sql: `select id, name from events.webhook
    where organization_id = $1 and named_credential_id = $2 and deleted_at is null order by name, id`,
})

const covers = (credential: string): string => `starts_with(u.url || '/', rtrim(${credential}.base_url, '/') || '/')`

/** What sends to a URL under the base URL of the credential, and of no longer one, would lose its authentication. */
for (const [user, table, name] of [
  ['custom_action', 'extensions.custom_action', 'api_name'],
  ['before_save_hook', 'extensions.before_save_hook', 'name'],
])
  registerUse({
    used: 'named_credential',
    user: user!,
    sql: `select u.id, u.${name} as name from ${table} u
      join extensions.named_credential c on c.organization_id = u.organization_id and c.id = $2
      where u.organization_id = $1 and u.deleted_at is null and u.url is not null and ${covers('c')} and not exists (
        select from extensions.named_credential longer where longer.organization_id = u.organization_id
          and longer.deleted_at is null and length(longer.base_url) > length(c.base_url) and ${covers('longer')}
      ) order by u.created_at, u.id`,
  })
