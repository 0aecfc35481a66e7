import { activeUsers, auditRecord } from '../../identity/public.ts'
import { liesUnder } from '../../kernel/outbound/named-credentials.ts'
import { waitsForDeployments } from '../../kernel/extension/definition-lock.ts'
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
  localColumns: ['secretStatus', 'sealedSecret'],
  isAdministrative: true,
  audit: auditRecord('named_credential', audited),
  calculated: ({ authType, sealedSecret }) => ({
    secretStatus: authType === 'NONE' ? 'NOT_NEEDED' : sealedSecret === null ? 'MISSING' : 'SET',
  }),
  invariants: authenticationProblems,
  serializedRules: [waitsForDeployments, fewCredentials],
})

registerUse({
  used: 'named_credential',
  user: 'webhook',
  sql: `select id, name from events.webhook
    where organization_id = $1 and named_credential_id = $2 and deleted_at is null order by name, id`,
})

/** The URL before the first output of a step, whose host and path it is sent to whatever the output is. */
const fixedPart = (url: string): string => url.split('{{', 1)[0]!

/** What sends to a URL under the base URL of the credential, and of no longer one, would lose its authentication. */
function isAuthenticated({ url, base, bases }: Readonly<Record<string, unknown>>): boolean {
  const address = URL.parse(fixedPart(url as string))
  const isOver = (one: string) => address !== null && liesUnder(address, one)
  return (
    isOver(base as string) && !(bases as string[]).some((one) => one.length > (base as string).length && isOver(one))
  )
}

for (const [user, users] of Object.entries({
  custom_action: 'select id, api_name as name, url, organization_id, deleted_at from extensions.custom_action',
  before_save_hook: 'select id, name, url, organization_id, deleted_at from extensions.before_save_hook',
  workflow: `select id, name, s->'config'->>'url' as url, organization_id, deleted_at
    from extensions.workflow, jsonb_array_elements(steps) s where s->>'type' = 'HTTP_REQUEST'`,
}))
  registerUse({
    used: 'named_credential',
    user,
    sql: `select u.id, u.name, u.url, c.base_url as base, array(
        select base_url from extensions.named_credential where organization_id = $1 and deleted_at is null
      ) as bases
      from extensions.named_credential c join (${users}) u on u.organization_id = c.organization_id
      where c.organization_id = $1 and c.id = $2 and u.deleted_at is null and u.url is not null order by u.id`,
    isUse: isAuthenticated,
  })
