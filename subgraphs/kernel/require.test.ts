import { describe, expect, it } from 'vitest'
import type { Caller, Role } from './context.ts'
import type { Refusal } from './errors.ts'
import { requireAdministrator, requireEntitlement, requireRole } from './require.ts'

const asking = (role: Role, kind: Caller['kind'] = 'SESSION', entitlements: string[] = []) => ({
  caller: { kind, role, entitlements },
})

function refusalOf(work: () => void): Pick<Refusal, 'status' | 'message' | 'extensions'> | 'passed' {
  try {
    work()
    return 'passed'
  } catch (error) {
    const { status, message, extensions } = error as Refusal
    return { status, message, extensions }
  }
}

describe('a role that is required', () => {
  it.each<[Role, boolean]>([
    ['OWNER', true],
    ['ADMIN', true],
    ['MANAGER', false],
    ['MEMBER', false],
    ['READ_ONLY', false],
  ])('of an administrator: %s %s', (role, passes) => {
    expect(refusalOf(() => requireAdministrator(asking(role))) === 'passed').toBe(passes)
  })

  it('is that of the user with any kind of credential, and is named when it is missing', () => {
    expect(refusalOf(() => requireRole(asking('OWNER', 'API_KEY'), 'OWNER'))).toBe('passed')
    expect(refusalOf(() => requireRole(asking('MEMBER', 'OAUTH'), 'OWNER', 'ADMIN'))).toEqual({
      status: 403,
      message: 'This needs the role OWNER or ADMIN.',
      extensions: { code: 'PERMISSION_DENIED', requiredRoles: ['OWNER', 'ADMIN'] },
    })
  })

  it('is missing without a credential', () => {
    expect(refusalOf(() => requireRole(asking('READ_ONLY', 'ANONYMOUS'), 'READ_ONLY'))).toMatchObject({ status: 403 })
  })
})

describe('an entitlement that is required', () => {
  it('comes from the plan and is named when it is missing', () => {
    expect(refusalOf(() => requireEntitlement(asking('MEMBER', 'SESSION', ['forecasts']), 'forecasts'))).toBe('passed')
    expect(refusalOf(() => requireEntitlement(asking('OWNER', 'SESSION', ['forecast']), 'forecasts'))).toEqual({
      status: 402,
      message: 'The plan of your organization does not include forecasts.',
      extensions: { code: 'ENTITLEMENT_REQUIRED', requiredEntitlement: 'forecasts' },
    })
  })

  it('is not required from the platform itself', () => {
    expect(refusalOf(() => requireEntitlement(asking('OWNER', 'SYSTEM'), 'forecasts'))).toBe('passed')
  })
})
