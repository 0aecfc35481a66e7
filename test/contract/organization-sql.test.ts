import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { subgraphs } from '../../subgraphs/all.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

const persons =
  'a person belongs to several organizations, and a token or a client is found by what only its holder knows'
const ofAll = 'a job of the platform, about the rows of all organizations'

/** Files with parts of statements that name no organization for a table, how many, and why they may. */
const reasons: Readonly<Record<string, readonly [parts: number, reason: string]>> = {
  'subgraphs/assistant/document/document.jobs.ts': [1, ofAll],
  'subgraphs/extensions/function/invocation.jobs.ts': [1, ofAll],
  'subgraphs/identity/invitation/invitation.ts': [2, persons],
  'subgraphs/identity/meeting/meeting-state-forget.job.ts': [1, ofAll],
  'subgraphs/identity/oauth/oauth-forget.job.ts': [2, ofAll],
  'subgraphs/identity/oauth/oauth-store.ts': [5, persons],
  'subgraphs/identity/oauth/open-client.ts': [5, persons],
  'subgraphs/identity/one-time-token/one-time-token-forget.job.ts': [1, ofAll],
  'subgraphs/identity/one-time-token/one-time-token.ts': [2, persons],
  'subgraphs/identity/one-time-token/reset-code.ts': [2, persons],
  'subgraphs/identity/operator-accounts.ts': [1, persons],
  'subgraphs/identity/scim/rename-user.ts': [2, persons],
  'subgraphs/identity/session/person.ts': [2, persons],
  'subgraphs/identity/session/verify-email.ts': [2, persons],
  'subgraphs/identity/usage/credential-names.ts': [
    2,
    'a client may be registered by another organization, or by nobody',
  ],
  'subgraphs/identity/usage/usage-forget.job.ts': [1, ofAll],
  'subgraphs/identity/user/user-rows.ts': [1, persons],
  'subgraphs/identity/user/user.actions.ts': [1, persons],
  'subgraphs/identity/user/user.ts': [1, persons],
  'subgraphs/identity/viewer/viewer.ts': [1, 'a client may be registered by another organization, or by nobody'],
  'subgraphs/insights/deal-score/factors-sql.ts': [1, 'the condition is that of the select around the union'],
  'subgraphs/insights/engagement/kept-answers.ts': [1, ofAll],
  'subgraphs/outreach/enrollment/run/run-sequences.job.ts': [1, ofAll],
  'subgraphs/outreach/mailbox/watch-lease.ts': [1, 'a lease is found by its token'],
  'subgraphs/records/field-history/maintain-history.job.ts': [1, ofAll],
}

const schemas = subgraphs.map(({ name }) => name).join('|')
/** A text of the code: a template with what it inserts, or a string. */
const literal = /`(?:[^`\\$]|\\.|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}]*\}|`[^`]*`)*\})*`|'(?:[^'\\\n]|\\.)*'/g
/** Where one part of a statement ends: the selects of a union and the parts before the main one have conditions of their own. */
const parts = /\bunion(?: all)?\b|\)\s*,\s*\w+ as (?:materialized )?\(/
const table = new RegExp(`\\b(?:from|join|update|using) (?:only )?(?:${schemas})\\.\\w+\\b(?!\\()`, 'g')
const organization = /organization/g

const countOf = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0

/** What a part inserts may be its conditions: `computedOver` makes them, and other tests look at that. */
const isOpen = (sql: string): boolean => !sql.includes('${') && countOf(table, sql) > countOf(organization, sql)

const openParts = (): (readonly [file: string, count: number])[] =>
  globSync('{gateway,rest-adapter,subgraphs}/**/*.ts', { cwd: projectRoot })
    .filter((file) => !/^subgraphs\/demo\/|\.(test|fixture|migrations)\.ts$/.test(file))
    .toSorted()
    .map((file): readonly [string, number] => {
      const texts = readFileSync(join(projectRoot, file), 'utf8').match(literal) ?? []
      return [file, texts.flatMap((text) => text.split(parts)).filter(isOpen).length]
    })
    .filter(([, count]) => count > 0)

it('every part of a statement names the organization whose rows it reads or writes, as often as it names tables', () => {
  const declared = Object.entries(reasons).map(([file, [count]]) => [file, count])
  expect(openParts()).toEqual(declared)
})
