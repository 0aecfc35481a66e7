import { randomInt } from 'node:crypto'
import { invalid, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendAudit } from '../audit/audit.ts'
import { appendEvent } from '../identity-event.ts'
import { findOrganization, type Organization, type OrganizationStatus } from './organization.ts'
import { organizationSettings, type OrganizationSettings } from './organization-settings.ts'

/** No letters and digits that are read for each other. */
const codeAlphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** 60 bits, as `7KQ2-M9XD-4HTZ`. */
function newCode(): string {
  const part = () => Array.from({ length: 4 }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('')
  return [part(), part(), part()].join('-')
}

/** A code as people type it. */
export const normalizeCode = (text: string): string => text.trim().toUpperCase()

/** Whoever reads events is not to be let in by them. */
const withoutCode = (organization: Organization): Organization => ({ ...organization, code: null })

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
  const { name, code, status, entitlements } = organization
  const settings = JSON.stringify(wanted.settings ?? {})
  await ctx.db.query(
    `insert into identity.organization (id, name, code, status, settings, entitlements, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7)`,
    [id, name, code, status, settings, entitlements, now],
  )
  await appendEvent(ctx, { type: 'organization.created', record: withoutCode(organization) })
  await appendAudit(ctx, { action: 'organization.created', target: { type: 'organization', id }, after: organization })
  return organization
}

export interface OrganizationChange {
  readonly name?: string
  readonly status?: OrganizationStatus
  readonly code?: string
  readonly settings?: OrganizationSettings
  readonly entitlements?: string[]
}

/** Changes the organization of the context: what is named, settings as a whole. */
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
    const { name, status, code, entitlements, updatedAt } = organization
    await inner.db.query(
      `update identity.organization set name = $2, status = $3, code = $4, settings = $5, entitlements = $6, updated_at = $7
       where id = $1`,
      [id, name, status, code, JSON.stringify(settings), entitlements, updatedAt],
    )
    await appendEvent(inner, {
      type: 'organization.updated',
      record: withoutCode(organization),
      previous: withoutCode(previous),
      changedFields,
    })
    const action = changedFields.includes('code') ? 'organization.code_regenerated' : 'organization.updated'
    await appendAudit(inner, { action, target: { type: 'organization', id }, before, after })
    return organization
  })
}

/** The old code lets nobody in from now on. */
export const regenerateCode = (ctx: RequestContext): Promise<Organization> =>
  changeOrganization(ctx, { code: newCode() })

/** Suspended, every credential of the organization is refused; nothing else changes. */
export const setOrganizationStatus = (ctx: RequestContext, status: OrganizationStatus): Promise<Organization> =>
  changeOrganization(ctx, { status })

const featuresMax = 200
const featureName = /^[a-z][a-z0-9-]{0,63}$/

/** The features of its plan, all of them; in effect with the next request of every credential. */
export async function setEntitlements(ctx: RequestContext, features: readonly string[]): Promise<Organization> {
  const entitlements = [...new Set(features)].sort()
  const wrong = entitlements.find((feature) => !featureName.test(feature))
  if (wrong !== undefined || entitlements.length > featuresMax) {
    const message = `Features are at most ${featuresMax} names of small letters, digits and hyphens.`
    throw invalid({ path: 'entitlements', code: 'WRONG_FORMAT', message })
  }
  return changeOrganization(ctx, { entitlements })
}
