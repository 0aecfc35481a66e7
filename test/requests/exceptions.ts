import { newId } from '../../subgraphs/kernel/ids.ts'
import { createUser } from '../../subgraphs/identity/public.ts'
import { newSession } from './session.ts'
import type { Requests } from './requests.ts'

/** What a schema cannot say of the value of a field, by its name. */
export const valuesOfField: Readonly<Record<string, () => unknown>> = {
  email: () => `u${newId()}@example.com`,
  ipAllowList: () => '203.0.113.0/24',
  password: () => 'Correct horse 7!',
  timezone: () => 'Europe/Oslo',
  profileId: () => null,
  businessHours: () => ({ timezone: 'Europe/Oslo', days: { MON: [['09:00', '17:00']] }, holidays: ['2027-12-24'] }),
  fields: () => ({ account: { annualRevenue: 'HIDDEN' } }),
}

/** Fields that follow rules beyond their schemas, so that not every value that the schema allows is accepted. */
export const ruledFields: ReadonlySet<string> = new Set([
  'businessHours',
  'email',
  'expiresAt',
  'fields',
  'ipAllowList',
  'origin',
  'password',
  'organizationCode',
  'organizationId',
  'refreshToken',
  'timezone',
])

/** Valid bodies of operations that need more than records: a person who can sign in, or a token. */
export const bodies: Readonly<Record<string, (requests: Requests, whole: boolean) => Promise<object>>> = {
  async authRegister(_requests, whole) {
    const needed = { email: valuesOfField['email']!(), password: 'Correct horse 7!' }
    return whole
      ? {
          ...needed,
          name: 'Ann',
          firstName: 'Ann',
          lastName: 'Lee',
          company: 'Acme',
          origin: 'https://app.example.com',
        }
      : needed
  },
  async authLogin({ platform, member: { organizationId } }, whole) {
    const [email, password] = [`u${newId()}@example.com`, 'Correct horse 7!']
    await createUser(platform.services, organizationId, {
      email,
      password,
      name: 'Ann Lee',
      role: 'MEMBER',
      visibility: 'OWN',
    })
    return whole ? { email, password, organizationId } : { email, password }
  },
  async authRefresh({ platform, member }) {
    const { refreshToken } = await newSession(platform, member)
    return { refreshToken }
  },
}

/** Operations that end the session they are called with. */
export const endsSession: ReadonlySet<string> = new Set(['authLogout'])
