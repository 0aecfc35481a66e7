import { expect, it } from 'vitest'
import { Refusal } from './errors.ts'
import { openLog } from './log.ts'

function logged(err: unknown): Record<string, unknown> {
  const lines: string[] = []
  openLog('info', { write: (line: string) => void lines.push(line) }).error({ err }, 'it failed')
  return (JSON.parse(lines[0]!) as { err: Record<string, unknown> }).err
}

const ofDatabase = (message: string, members: object) =>
  Object.assign(new Error(message), { severity: 'ERROR', ...members })

it('logs the place of a database error, and nothing of the row', () => {
  const error = ofDatabase('null value in column "name" of relation "account" violates not-null constraint', {
    code: '23502',
    detail: 'Failing row contains (Ann Lee, ann@example.com).',
    where: 'SQL statement "insert into x values (Ann Lee)"',
    internalQuery: 'select Ann Lee',
    parameters: ['Ann Lee'],
    table: 'account',
    column: 'name',
  })
  const err = logged(error)
  expect(JSON.stringify(err)).not.toContain('Lee')
  expect(err).toEqual({
    type: 'Error',
    message: 'null value in column "name" of relation "account" violates not-null constraint',
    code: '23502',
    severity: 'ERROR',
    table: 'account',
    column: 'name',
    stack: expect.stringMatching(/^\s+at .*log\.test\.ts/),
  })
})

it.each([
  ofDatabase('invalid input syntax for type uuid: "Ann "Lee""', { code: '22P02' }),
  new Error('Variable "$input" got invalid value { name: "Ann Lee" }; Expected type Int.'),
  new Error('it failed', { cause: ofDatabase('a cause', { code: '23514', detail: 'Failing row contains (Lee).' }) }),
  new AggregateError([ofDatabase('one of many', { code: '23514', detail: 'Failing row contains (Lee).' })], 'many'),
  { message: 'no error', row: { name: 'Ann Lee' } },
  Object.assign(new Refusal('VALIDATION_FAILED', 'refused'), { input: 'Ann Lee' }),
])('logs no customer value of %s', (error) => {
  const text = JSON.stringify(logged(error))
  expect(text).not.toContain('Lee')
  expect(text).toMatch(/invalid|failed|many|no error|refused/)
})

it('logs the causes of an error', () => {
  const err = logged(new Error('outer', { cause: new Error('inner', { cause: 'a word' }) }))
  expect(err).toMatchObject({ message: 'outer', cause: { message: 'inner', cause: 'a word' } })
})

it('limits the length of a message', () => {
  expect(String(logged(new Error('x'.repeat(1_000_000)))['message']).length).toBe(1_001)
})
