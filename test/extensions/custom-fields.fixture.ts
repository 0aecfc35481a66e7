import { expect } from 'vitest'
import type { Member, Platform } from '../platform.ts'

/** The body of a create of a field of accounts. */
export const aField = (values: object = {}) => ({
  entity: 'ACCOUNT',
  name: 'code',
  label: 'Code',
  fieldType: 'TEXT',
  ...values,
})

/** Picklist values with these names. */
export const valuesNamed = (...names: readonly string[]) => names.map((value) => ({ value }))

interface Field {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly [name: string]: unknown
}

/** Creates a field and returns it. */
export async function field(by: Member, values: object = {}): Promise<Field> {
  const { status, body } = await by.rest['customFieldCreate']!({ body: aField(values) } as never)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as Field
}

/** An organization of its own, with an owner and a member who sees everything. */
export async function anOrganization(platform: Platform): Promise<{ owner: Member; member: Member }> {
  const organizationId = await platform.organization('Fields')
  const owner = await platform.member({ organizationId, role: 'OWNER' })
  return { owner, member: await platform.member({ organizationId }) }
}

interface Answered {
  readonly status: number
  readonly body: { readonly code?: string; readonly errors?: readonly Readonly<Record<string, string>>[] }
}

/** The status and code of a refusal with its problems: `400 VALIDATION_FAILED name NOT_UNIQUE`. */
export const problemsOf = ({ status, body }: Answered): string =>
  [status, body.code, ...(body.errors ?? []).map(({ path, code }) => `${path} ${code}`)].join(' ')
