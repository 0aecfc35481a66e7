import { notFound, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { updateRow, writeChange } from '../../kernel/record/write-change.ts'
import { asSystem, type RequestContext } from '../../kernel/request.ts'
import { administering } from '../admin/administer.ts'
import type { IdentityContext } from '../context.ts'
import { addOrganization, setOrganizationStatus } from '../organization/organization.actions.ts'
import type { Organization } from '../organization/organization.ts'
import { actingAs } from '../session/session.actions.ts'
import { lockOwnPerson } from '../session/person.ts'
import { nameLengthMax, refuseAny, textProblems } from '../text.ts'
import { addUser, type NewUser } from '../user/user.actions.ts'
import { findPerson } from '../user/user.ts'
import { developerOrgChanges } from './developer-org.events.ts'
import {
  createdPerDay,
  developerOrgsMax,
  findDeveloperOrg,
  type DeveloperOrg,
  type DeveloperOrgCreateInput,
} from './developer-org.ts'

const dayMs = 86_400_000

/**
 * Creates an organization whose owner is the person of the caller, with the plan of the caller's organization. All of it is one transaction. Each of
 * the two organizations has the events and audit entries of what it sees.
 */
export function createDeveloperOrg(ctx: IdentityContext, input: DeveloperOrgCreateInput): Promise<DeveloperOrg> {
  const name = input.name.trim()
  refuseAny(textProblems('name', name, { min: 1, max: nameLengthMax }))
  return administering(ctx, async (inner) => {
    const { entitlements } = await parentOf(inner)
    const owner = await newOwner(inner)
    const added = actingAs(inner, owner)
    const organization = await addOrganization(added, { id: owner.organizationId, name, entitlements })
    await addUser(added, owner)
    return assign(inner, organization)
  })
}

interface Parent extends Pick<Organization, 'status' | 'entitlements'> {
  readonly isDeveloperOrg: boolean
  readonly live: number
  /** When the oldest of as many as one may create in 24 hours was created; null if fewer were created ever. */
  readonly oldestOfDay: string | null
}

/** The caller's organization, which must be locked, so that concurrent requests are counted. Throws if it may have no further developer organization. */
async function parentOf({ db, caller, clock, settings }: RequestContext): Promise<Parent> {
  if (settings.registration === 'OFF') {
    throw new Refusal('PERMISSION_DENIED', 'New organizations are off here: ask the operator of the platform.')
  }
  const [parent] = await db.query<Parent>(
    `select o.status, o.entitlements, o.developer_of is not null as "isDeveloperOrg",
       (select count(*)::int from identity.organization d where d.developer_of = o.id and d.deleted_at is null) as live,
       (select d.created_at from identity.organization d where d.developer_of = o.id
        order by d.created_at desc offset ${createdPerDay - 1} limit 1) as "oldestOfDay"
     from identity.organization o where o.id = $1`,
    [caller.organizationId],
  )
  if (!parent) throw notFound('The organization')
  if (parent.status === 'SUSPENDED') throw new Refusal('ORGANIZATION_SUSPENDED', 'The organization is suspended.')
  if (parent.isDeveloperOrg) throw refusalInSituation('A developer organization has no developer organizations.')
  if (parent.live >= developerOrgsMax) {
    const message = `An organization has at most ${developerOrgsMax} developer organizations; delete one first.`
    throw new Refusal('LIMIT_REACHED', message, { limit: developerOrgsMax })
  }
  const nextMs = parent.oldestOfDay === null ? 0 : Date.parse(parent.oldestOfDay) + dayMs
  if (nextMs > clock.now().getTime()) {
    const retryAt = new Date(nextMs).toISOString()
    const message = `An organization creates at most ${createdPerDay} developer organizations in 24 hours; the next one can be created at ${retryAt}.`
    throw new Refusal('LIMIT_REACHED', message, { limit: createdPerDay, retryAt })
  }
  return parent
}

/** The caller as the first user of a new organization. The password is trusted there if it is trusted here. */
async function newOwner(ctx: IdentityContext): Promise<NewUser> {
  const { email, id: personId, passwordHash } = await lockOwnPerson(ctx)
  const { name, firstName, lastName } = (await findPerson(ctx.db, email))!
  const [user] = await ctx.db.query<Pick<NewUser, 'distrustsPassword'>>(
    'select distrusts_password as "distrustsPassword" from identity.app_user where organization_id = $1 and id = $2',
    [ctx.caller.organizationId, ctx.caller.userId],
  )
  const names = { name, firstName, lastName }
  const rights = { role: 'OWNER', visibility: 'ALL' } as const
  return { id: newId(), organizationId: newId(), email, personId, passwordHash, ...names, ...rights, ...user }
}

async function assign(ctx: RequestContext, organization: Organization): Promise<DeveloperOrg> {
  const { id, name, status, createdAt, updatedAt } = organization
  const { organizationId } = ctx.caller
  const next = { id, organizationId, name, status, createdAt, updatedAt }
  await writeChange(ctx, developerOrgChanges, { operation: 'CREATE', previous: null, next }, (values) =>
    updateRow(values, 'identity.organization', { developer_of: organizationId }, { id }),
  )
  return next
}

/** Ends the organization for ever: it is suspended, and nobody can resume it. Its rows are kept. */
export function deleteDeveloperOrg(ctx: IdentityContext, id: string): Promise<string> {
  return administering(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const previous = await findDeveloperOrg(inner.db, organizationId, id)
    if (!previous) throw notFound('The developer organization')
    await setOrganizationStatus(asSystem(inner, previous.id), 'SUSPENDED')
    const now = inner.clock.now().toISOString()
    await writeChange(inner, developerOrgChanges, { operation: 'DELETE', previous, next: previous }, (values) =>
      updateRow(values, 'identity.organization', { deleted_at: now, updated_at: now }, { id: previous.id }),
    )
    return previous.id
  })
}
