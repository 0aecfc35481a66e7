import { describe, expect, it } from 'vitest'
import type { Caller, Role } from './context.ts'
import type { Refusal } from './errors.ts'
import { requireAdministrator, requireEntitlement, requireRole } from './require.ts'

const contextOf = (role: Role, kind: Caller['kind'] = 'SESSION', entitlements: string[] = []) => ({
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

describe('requireRole', () => {
  it.each<[Role, boolean]>([
    ['OWNER', true],
    ['ADMIN', true],
    ['MANAGER', false],
    ['MEMBER', false],
    ['READ_ONLY', false],
  ])('requireAdministrator accepts %s: %s', (role, passes) => {
    expect(refusalOf(() => requireAdministrator(contextOf(role))) === 'passed').toBe(passes)
  })

  it('checks the role of the user for every kind of credential, and names the missing role', () => {
    expect(refusalOf(() => requireRole(contextOf('OWNER', 'API_KEY'), 'OWNER'))).toBe('passed')
    expect(refusalOf(() => requireRole(contextOf('MEMBER', 'OAUTH'), 'OWNER', 'ADMIN'))).toEqual({
      status: 403,
      message: 'This operation requires the role OWNER or ADMIN.',
      extensions: { code: 'PERMISSION_DENIED', requiredRoles: ['OWNER', 'ADMIN'] },
    })
  })

  it('refuses a caller without a credential', () => {
    expect(refusalOf(() => requireRole(contextOf('READ_ONLY', 'ANONYMOUS'), 'READ_ONLY'))).toMatchObject({
      status: 403,
    })
  })
})

describe('requireEntitlement', () => {
  it('checks the plan, and names the missing feature', () => {
    expect(refusalOf(() => requireEntitlement(contextOf('MEMBER', 'SESSION', ['forecasts']), 'forecasts'))).toBe(
      'passed',
    )
    expect(refusalOf(() => requireEntitlement(contextOf('OWNER', 'SESSION', ['forecast']), 'forecasts'))).toEqual({
      status: 402,
      message: 'The plan of your organization does not include forecasts.',
      extensions: { code: 'ENTITLEMENT_REQUIRED', requiredEntitlement: 'forecasts' },
    })
  })

  it('accepts the platform itself without a plan', () => {
    expect(refusalOf(() => requireEntitlement(contextOf('OWNER', 'SYSTEM'), 'forecasts'))).toBe('passed')
  })
})
