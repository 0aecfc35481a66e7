import { createRequire } from 'node:module'
import { parseEmail } from './email-address.ts'

// As JSON, because the package has no types.
const providers = new Set(createRequire(import.meta.url)('email-providers/all.json') as readonly string[])

/** Whether anybody can get an address of the domain, so that it does not tell a company. */
export const isPublicMailDomain = (domain: string): boolean => providers.has(domain)

/** The domain of an email address that belongs to a company; null for an address of a public mail provider. */
export function companyDomain(email: string | null): string | null {
  const address = email === null ? null : parseEmail(email)
  const domain = address?.slice(address.lastIndexOf('@') + 1) ?? null
  return domain === null || isPublicMailDomain(domain) ? null : domain
}
