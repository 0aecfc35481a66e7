import { randomInt } from 'node:crypto'
import { invalid, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { insertRow, updateRow, writeChange } from '../../kernel/record/write-change.ts'
import { organizationChanges } from './organization.events.ts'
import { findOrganization, type Organization, type OrganizationStatus } from './organization.ts'
import { organizationSettings, type OrganizationSettings } from './organization-settings.ts'

/** Without letters and digits that look alike. */
const codeAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** A random code of 60 bits, for example `7KQ2-M9XD-4HTZ`. */
function newCode(): string {
  const part = () => Array.from({ length: 4 }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('')
  return [part(), part(), part()].join('-')
}

/** The stored form of a code that a person typed. */
export const normalizeCode = (text: string): string => text.trim().toUpperCase()

export interface NewOrganization {
  readonly id?: string
  readonly name: string
  readonly code?: string
  readonly settings?: object
  readonly entitlements?: readonly string[]
}

export async function addOrganization(ctx: RequestContext, wanted: NewOrganization): Promise<Organization> {
  const now = ctx.clock.now().toISOString()
  const id = wanted.id ?? newId()
  const organization: Organization = {
    id,
    name: wanted.name,
    code: normalizeCode(wanted.code ?? newCode()),
    status: 'ACTIVE',
    entitlements: [...(wanted.entitlements ?? [])],
    createdAt: now,
    updatedAt: now,
  }
  await writeChange(ctx, organizationChanges, { operation: 'CREATE', previous: null, next: organization }, (values) =>
    insertRow(values, 'identity.organization', {
      id,
      ...columnsOf(organization, wanted.settings ?? {}),
      created_at: now,
    }),
  )
  return organization
}

const columnsOf = ({ name, code, status, entitlements, updatedAt }: Organization, settings: object) => ({
  name,
  code,
  status,
  settings: JSON.stringify(settings),
  entitlements,
  updated_at: updatedAt,
})

export interface OrganizationChange {
  readonly name?: string
  readonly status?: OrganizationStatus
  readonly code?: string
  readonly settings?: OrganizationSettings
  readonly entitlements?: string[]
}

/** Changes the given fields of the context's organization. `settings` replaces all settings. */
export function changeOrganization(ctx: RequestContext, change: OrganizationChange): Promise<Organization> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId: id } = inner.caller
    const previous = await findOrganization(inner.db, id, { lock: true })
    if (!previous) throw notFound('The organization')
    const before = { ...previous, settings: await organizationSettings(inner) }
    const after = { ...before, ...change }
    const changedFields = (['name', 'status', 'code', 'settings', 'entitlements'] as const).filter(
      (name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]),
    )
    if (changedFields.length === 0) return previous
    const { settings, ...organization } = { ...after, updatedAt: inner.clock.now().toISOString() }
    const action = changedFields.includes('code') ? 'organization.code_regenerated' : 'organization.updated'
    const next = { ...organization, settings }
    await writeChange(
      inner,
      organizationChanges,
      { operation: 'UPDATE', previous: before, next, changedFields, action },
      (values) => updateRow(values, 'identity.organization', columnsOf(organization, settings), { id }),
    )
    return organization
  })
}

/** The former code can no longer be used to register. */
export const regenerateCode = (ctx: RequestContext): Promise<Organization> =>
  changeOrganization(ctx, { code: newCode() })

/** While an organization is suspended, all its credentials are refused. Nothing else changes. A deleted one cannot be resumed. */
export const setOrganizationStatus = (ctx: RequestContext, status: OrganizationStatus): Promise<Organization> =>
  inTransaction(ctx, async (inner) => {
    const [locked] = await inner.db.query<{ isDeleted: boolean }>(
      'select deleted_at is not null as "isDeleted" from identity.organization where id = $1 for no key update',
      [inner.caller.organizationId],
    )
    if (status === 'ACTIVE' && locked?.isDeleted)
      throw refusalInSituation('The organization was deleted, as a developer organization, and cannot be resumed.')
    return changeOrganization(inner, { status })
  })

const featuresMax = 200
const featureName = /^[a-z][a-z0-9-]{0,63}$/

/** Replaces all features of the plan. Takes effect with the next request of every credential. */
export async function setEntitlements(ctx: RequestContext, features: readonly string[]): Promise<Organization> {
  const entitlements = [...new Set(features)].sort()
  const wrong = entitlements.find((feature) => !featureName.test(feature))
  if (wrong !== undefined || entitlements.length > featuresMax) {
    const message = `entitlements must be at most ${featuresMax} names of lower-case letters, digits and hyphens.`
    throw invalid({ path: 'entitlements', code: 'WRONG_FORMAT', message })
  }
  return changeOrganization(ctx, { entitlements })
}
