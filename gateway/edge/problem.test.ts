import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { GraphQLError } from 'graphql'
import { describe, expect, it } from 'vitest'
import { Refusal, invalid, statusOfCode } from '../../subgraphs/kernel/errors.ts'
import { noTurn } from '../../subgraphs/kernel/own-load.ts'
import { problemOf, writeProblem } from './problem.ts'
import { titleOfCode } from './titles.ts'

describe('a problem', () => {
  it('of a refusal has the documented body', () => {
    const error = new Refusal('UNIQUE_VIOLATION', 'Another contact already has this email.', {
      errors: [{ path: 'email', code: 'NOT_UNIQUE', message: 'Already used.', conflictingId: 'c1' }],
    })
    expect(problemOf(error, '/v1/contacts', 'req_1').problem).toEqual({
      type: '/errors/unique-violation',
      title: 'Unique value already used',
      status: 409,
      code: 'UNIQUE_VIOLATION',
      detail: 'Another contact already has this email.',
      instance: '/v1/contacts',
      requestId: 'req_1',
      errors: [{ path: 'email', code: 'NOT_UNIQUE', message: 'Already used.', conflictingId: 'c1' }],
    })
  })

  it('has the additional members of its code', () => {
    const missing = new Refusal('API_KEY_SCOPE_INSUFFICIENT', 'No.', { missingScopes: ['READ_CASES'] })
    expect(problemOf(missing, '/', 'req_1').problem).toMatchObject({ status: 403, missingScopes: ['READ_CASES'] })
    const state = new Refusal('INVALID_STATE', 'No.', {
      allowed: ['OPEN'],
      status: 200,
      stacktrace: ['secret'],
    })
    const { problem } = problemOf(state, '/', 'req_1')
    expect(problem).toMatchObject({ status: 409, code: 'INVALID_STATE', allowed: ['OPEN'] })
    expect(problem).not.toHaveProperty('stacktrace')
  })

  it.each<[string, unknown, string, string | undefined]>([
    ['Retry-After', new Refusal('API_KEY_RATE_LIMITED', 'Slow.', { retryAfter: 7 }), 'Retry-After', '7'],
    [
      'Retry-After: 1 while the first request runs',
      new Refusal('IDEMPOTENCY_IN_PROGRESS', 'Wait.'),
      'Retry-After',
      '1',
    ],
    ['Retry-After: 1 when unavailable', new Refusal('UNAVAILABLE', 'Wait.'), 'Retry-After', '1'],
    ['Allow', new Refusal('METHOD_NOT_ALLOWED', 'No.', { allow: ['GET', 'POST'] }), 'Allow', 'GET, POST'],
    ['WWW-Authenticate', new Refusal('UNAUTHENTICATED', 'Who?'), 'WWW-Authenticate', 'Bearer, ApiKey'],
    ['no WWW-Authenticate', new Refusal('NOT_FOUND', 'No.'), 'WWW-Authenticate', undefined],
  ])('sends %s', (_, error, name, value) => {
    const { headers, problem } = problemOf(error, '/', 'req_1')
    expect(headers[name]).toBe(value)
    expect(Object.keys(problem)).toEqual(['type', 'title', 'status', 'code', 'detail', 'instance', 'requestId'])
  })

  it("of the caller's own load is 429 and not an outage", () => {
    const own = problemOf(noTurn('tasks', 7, true), '/v1/quotes', 'req_1')
    expect(own.problem).toEqual({
      type: '/errors/concurrency-limit-reached',
      title: 'Too many requests at the same time',
      status: 429,
      code: 'CONCURRENCY_LIMIT_REACHED',
      detail: 'Too many of your tasks are waiting; retry in 7 s.',
      instance: '/v1/quotes',
      requestId: 'req_1',
    })
    const all = problemOf(noTurn('tasks', 7, false), '/v1/quotes', 'req_1')
    expect(all.problem).toMatchObject({ status: 503, code: 'UNAVAILABLE', title: 'Temporarily unavailable' })
    expect([own, all].map(({ headers }) => headers['Retry-After'])).toEqual(['7', '7'])
  })

  it('of a missing file is a defect', () => {
    const missing = Object.assign(new Error('ENOENT: open /srv/app/x'), { code: 'ENOENT', syscall: 'open' })
    expect(problemOf(missing, '/', 'req_1').problem.code).toBe('INTERNAL')
  })

  it.each([
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('terminating connection because of crash of another server process'), { code: '57P02' }),
    Object.assign(new Error('connect ENOENT /run/.s.PGSQL.5432'), { code: 'ENOENT', syscall: 'connect' }),
    new Error('Connection terminated unexpectedly'),
    new Error('Connection terminated due to connection timeout'),
    new Error('timeout exceeded when trying to connect'),
  ])('of a database that is away says to try again: $message', (error) => {
    const { problem, headers } = problemOf(error, '/v1/accounts', 'req_1')
    expect(problem).toMatchObject({
      status: 503,
      code: 'UNAVAILABLE',
      detail: 'The database is busy or restarting; retry in 1 s.',
    })
    expect(headers['Retry-After']).toBe('1')
  })

  it.each<[string, unknown]>([
    ['an error', new Error('select * from secrets')],
    ['a string', 'secrets'],
    ['nothing', undefined],
    [
      'a GraphQL error with a foreign code',
      new GraphQLError('secrets', { extensions: { code: 'INTERNAL_SERVER_ERROR' } }),
    ],
    ['a defect that calls itself INTERNAL', new Refusal('INTERNAL', 'secrets', { sql: 'secrets' })],
    ['an error with a status of its own', Object.assign(new Error('secrets'), { status: 400, code: 'NOT_FOUND' })],
  ])('of %s says nothing but the request id', (_, error) => {
    const { problem } = problemOf(error, '/v1/x', 'req_1')
    expect(problem).toMatchObject({ type: '/errors/internal', status: 500, code: 'INTERNAL', requestId: 'req_1' })
    expect(JSON.stringify(problem)).not.toContain('secrets')
  })

  it('of a formatted GraphQL error is that of its code', () => {
    const { message, extensions } = invalid({ path: 'name', code: 'REQUIRED', message: 'name is required.' }).toJSON()
    expect(problemOf({ message, extensions }, '/', 'req_1').problem).toMatchObject({
      status: 400,
      detail: 'name is required.',
      errors: [{ path: 'name', code: 'REQUIRED', message: 'name is required.' }],
    })
  })

  it('has a title for every code', () => {
    expect(Object.keys(titleOfCode).sort()).toEqual(Object.keys(statusOfCode).sort())
  })
})

describe('writeProblem', () => {
  it('answers over HTTP, logs a defect with its cause, and names one request id in both', async () => {
    const logged: unknown[] = []
    const log = { error: (fields: unknown) => void logged.push(fields) }
    const cause = new Error('select * from secrets')
    const server = createServer((req, res) => writeProblem(cause, req, res, log)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/v1/accounts?token=x`, {
      headers: { 'x-request-id': 'forged' },
    })
    const problem = (await response.json()) as Record<string, unknown>
    server.close()
    expect(response.status).toBe(500)
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(problem.instance).toBe('/v1/accounts')
    expect(problem.requestId).toMatch(/^req_[0-9a-f-]{36}$/)
    expect(response.headers.get('x-request-id')).toBe(problem.requestId)
    expect(logged).toEqual([{ err: cause, requestId: problem.requestId, method: 'GET', path: '/v1/accounts' }])
  })

  it('closes the connection if part of another answer was sent', async () => {
    const server = createServer((req, res) => {
      res.write('{"data":')
      writeProblem(new Error('late'), req, res, { error: () => {} })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await expect(fetch(`http://127.0.0.1:${port}/`).then((response) => response.text())).rejects.toThrow()
    server.close()
  })
})
