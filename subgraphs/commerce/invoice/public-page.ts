import type { RequestContext } from '../../kernel/request.ts'
import type { Invoice } from './invoice.ts'

/** The address of the public page of an issued invoice; null in a DRAFT. */
export const publicPageOf = (
  { settings }: Pick<RequestContext, 'settings'>,
  { publicToken }: Pick<Invoice, 'publicToken'>,
): string | null => (publicToken === null ? null : `${settings.publicUrl}/v1/public/invoices/${publicToken}`)
