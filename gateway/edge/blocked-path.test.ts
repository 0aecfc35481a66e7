import { describe, expect, it } from 'vitest'
import { isBlockedPath, pathOf } from './blocked-path.ts'

const families = [
  'auth',
  'api-keys',
  'admin',
  'scim',
  'oauth',
  'oauth-apps',
  'connected-apps',
  'developer-orgs',
  'apps',
  'marketplace',
  'page-builder',
  'named-credentials',
]

describe('isBlockedPath', () => {
  it.each(families)('blocks /v1/%s and everything below it', (family) => {
    for (const path of [`/v1/${family}`, `/v1/${family}/`, `/v1/${family}/x/y`, `/v1/${family}?a=b`]) {
      expect([path, isBlockedPath(path)]).toEqual([path, true])
    }
  })

  it.each([
    '//v1/api-keys',
    '/v1//api-keys',
    '///v1///api-keys///',
    '/v1/%61pi-keys',
    '/v1/%2561pi-keys',
    '/%76%31/api-keys',
    '/v1%2fapi-keys',
    '/v1%2Fapi-keys%2F1',
    '/v1%252fapi-keys',
    '/v1/accounts/../api-keys',
    '/v1/accounts/%2e%2e/api-keys',
    '/v1/accounts/..%2fapi-keys',
    '/v1/./api-keys',
    '/x/../v1/api-keys',
    '/../v1/api-keys',
    '/v1/api-keys/../rotate',
    '/v1/api-keys/../../v1/accounts',
    '/V1/API-KEYS',
    '/v1/Api-Keys/1/ROTATE',
    '/v1\\api-keys',
    '/v1%5capi-keys',
    '/v1/api-keys;x=1',
    '/v1/api-keys%20',
    '/v1/api-keys#x',
    'http://example.com/v1/api-keys',
    'HTTP://example.com//v1/api-keys?x',
  ])('blocks %s', (path) => expect(isBlockedPath(path)).toBe(true))

  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/accounts',
    '/v1/accounts/api-keys',
    '/v1/api-keys-report',
    '/v1/apps2',
    '/v1/authors',
    '/v1/app-runtime/installation',
    '/v1/accounts?next=/v1/api-keys',
    '/v1/accounts/%2e%2e/cases',
    '/v1/accounts/A1B2',
    '/api-keys',
    '/v2/api-keys',
    'http://example.com/v1/accounts',
    '*',
  ])('lets %s pass', (path) => expect(isBlockedPath(path)).toBe(false))
})

describe('pathOf', () => {
  it.each([
    ['/v1/accounts?page=1', '/v1/accounts'],
    ['/v1/accounts#x?y', '/v1/accounts'],
    ['http://example.com:80/v1/accounts?x', '/v1/accounts'],
  ])('of %s is %s', (target, path) => expect(pathOf(target)).toBe(path))
})
