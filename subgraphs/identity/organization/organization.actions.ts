import { randomInt } from 'node:crypto'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { appendEvent } from '../identity-event.ts'
import { findOrganization, type Organization, type OrganizationStatus } from './organization.ts'

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
  return organization
}

/** Suspended, every credential of the organization is refused; nothing else changes. */
export function setOrganizationStatus(ctx: RequestContext, status: OrganizationStatus): Promise<Organization> {
  return inTransaction(ctx, async (inner) => {
    const { organizationId } = inner.caller
    const previous = await findOrganization(inner.db, organizationId)
    if (!previous) throw notFound('The organization')
    if (previous.status === status) return previous
    const organization: Organization = { ...previous, status, updatedAt: inner.clock.now().toISOString() }
    await inner.db.query('update identity.organization set status = $2, updated_at = $3 where id = $1', [
      organizationId,
      status,
      organization.updatedAt,
    ])
    await appendEvent(inner, {
      type: 'organization.updated',
      record: withoutCode(organization),
      previous: withoutCode(previous),
      changedFields: ['status'],
    })
    return organization
  })
}
