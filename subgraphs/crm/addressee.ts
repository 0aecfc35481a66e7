import type { Caller } from '../kernel/context.ts'
import { isHidden, requireReadable } from '../kernel/record/field-security.ts'
import { readReference } from '../kernel/record/read.ts'
import { unrestricted, type RequestContext } from '../kernel/request.ts'
import { account } from './account/account.record.ts'
import { contact } from './contact/contact.record.ts'

/** To whom a document is addressed. */
export interface Addressee {
  /** Name of the account; null without one. */
  readonly accountName: string | null
  readonly contactName: string | null
  /** Lines of the billing address of the account. */
  readonly address: readonly (string | null)[]
  readonly email: string | null
  readonly phone: string | null
}

const accountColumns: ReadonlySet<string> = new Set([
  'name',
  'billingStreet',
  'billingPostalCode',
  'billingCity',
  'billingState',
  'billingCountry',
])
const contactColumns: ReadonlySet<string> = new Set(['name', 'email', 'phone'])

type Texts = Readonly<Record<string, string | null>>

const textsOf = (row: object | null): Texts => (row ?? {}) as Texts
const joined = (...parts: readonly (string | null | undefined)[]): string | null =>
  parts.filter(Boolean).join(' ') || null

/** Whether the caller's profile hides nothing that a document says about its customer. */
export const seesAddressee = (caller: Pick<Caller, 'fields'>): boolean =>
  [...accountColumns].every((name) => !isHidden(caller, account, name)) &&
  [...contactColumns].every((name) => !isHidden(caller, contact, name))

/** Refuses with 403 unless `seesAddressee`. */
export function requireAddressee(caller: Caller): void {
  requireReadable(caller, account, ...accountColumns)
  requireReadable(caller, contact, ...contactColumns)
}

/**
 * What a document says about its customer. Who may see the document sees this, whoever may see the account and the contact; fields that the
 * caller's profile hides are empty.
 */
export async function addresseeOf(
  ctx: RequestContext,
  { accountId, contactId }: { readonly accountId: string | null; readonly contactId: string | null },
): Promise<Addressee> {
  const visible = unrestricted(ctx)
  const inner = { ...visible, caller: { ...visible.caller, fields: ctx.caller.fields } }
  const [company, person] = await Promise.all([
    accountId === null ? null : readReference(inner, account, accountId, accountColumns),
    contactId === null ? null : readReference(inner, contact, contactId, contactColumns),
  ])
  const {
    name: accountName,
    billingStreet,
    billingPostalCode,
    billingCity,
    billingState,
    billingCountry,
  } = textsOf(company)
  const { name: contactName, email, phone } = textsOf(person)
  return {
    accountName: accountName ?? null,
    contactName: contactName ?? null,
    address: [billingStreet ?? null, joined(billingPostalCode, billingCity, billingState), billingCountry ?? null],
    email: email ?? null,
    phone: phone ?? null,
  }
}
