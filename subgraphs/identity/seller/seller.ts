import type { RequestContext } from '../../kernel/request.ts'
import { organizationSettings } from '../organization/organization-settings.ts'
import { findOrganization } from '../organization/organization.ts'
import type { Logo } from './logo.ts'

/** The organization as its customers see it: on documents, public pages and in mails. */
export interface Seller {
  readonly name: string
  /** Lines of the postal address. */
  readonly address: readonly string[]
  readonly taxId: string | null
  /** The colour of the organization, such as `#1f4e79`; null if none is set. */
  readonly color: string | null
  readonly logo: Logo | null
}

/** Documents and mails have room for no more lines of an address. */
const addressLinesMax = 6

/** The caller's organization as its customers see it; null if it is suspended. */
export async function activeSeller(ctx: RequestContext): Promise<Seller | null> {
  const organization = await findOrganization(ctx.db, ctx.caller.organizationId)
  if (organization?.status !== 'ACTIVE') return null
  const { postalAddress = '', taxId = null, brandColor: color = null, logo = null } = await organizationSettings(ctx)
  const address = postalAddress.split(/\r?\n/).filter((line) => line.trim() !== '')
  return { name: organization.name, address: address.slice(0, addressLinesMax), taxId, color, logo }
}
