import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { subgraphs } from '../../subgraphs/all.ts'
import { projectRoot } from '../../subgraphs/kernel/config/paths.ts'

/**
 * Which tables of others a subgraph reads with SQL of its own, and why a read through the graph or a function of their owner would not do. What
 * several subgraphs ask is a function of the owner, in its `public.ts`: `activeOrganizations`, `activeMembers`, `existingCustomEvents`.
 */
const reads: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  assistant: {
    'extensions.custom_object':
      'which triggers name the events of a custom object is asked in the transaction that deletes it',
  },
  crm: {
    'identity.organization':
      'the rule of one email address is a setting, and is compared inside the statement that writes',
  },
  events: {
    'identity.app_user':
      'the link of a mail turns it off in one statement, which finds nothing for a user who does not exist',
  },
  extensions: {
    'events.webhook': 'which webhooks use a named credential is read where all other users of it are',
  },
  insights: {
    ...each(
      [
        'crm.account',
        'crm.activity',
        'crm.contact',
        'crm.lead',
        'crm.opportunity',
        'crm.pipeline',
        'crm.stage_entry',
        'crm.task',
      ],
      'figures over all records of an organization, which one statement computes where the records are',
    ),
    ...each(['commerce.invoice', 'commerce.quote'], 'the same, of what customers buy and pay'),
    ...each(
      ['identity.team', 'identity.team_member'],
      'figures by team are grouped in the statement that computes them',
    ),
    'support.case': 'a repeated action of triage looks whether it has escalated the case',
  },
  outreach: {
    ...each(
      ['crm.contact', 'crm.lead'],
      'time zone, consent and existence of a recipient are read in the statement that decides about a mail',
    ),
  },
}

function each(tables: readonly string[], reason: string): Record<string, string> {
  return Object.fromEntries(tables.map((table) => [table, reason]))
}

const schemas = subgraphs.map(({ name }) => name).join('|')
const table = `(${schemas})\\."?([a-z_]+)`
const reading = new RegExp(`\\b(?:from|join|using) ${table}`, 'g')
const writing = new RegExp(`\\b(?:insert into|update|delete from|merge into) ${table}`, 'g')

/** The foreign tables in the SQL of each owner: a subgraph, the gateway or the REST adapter. The demo fills the tables of all. */
function foreignTables(pattern: RegExp): string[] {
  const files = globSync('{gateway,rest-adapter,subgraphs}/**/*.ts', { cwd: projectRoot }).filter(
    (file) => !/^subgraphs\/demo\/|\.(test|fixture|migrations)\.ts$/.test(file),
  )
  const found = files.flatMap((file) => {
    const [first, second] = file.split('/')
    const owner = first === 'subgraphs' ? second! : first!
    const code = readFileSync(join(projectRoot, file), 'utf8').replaceAll(/\s+/g, ' ')
    return [...code.matchAll(pattern)].flatMap(([, schema, name]) =>
      schema === owner ? [] : [`${owner} ${schema}.${name}`],
    )
  })
  return [...new Set(found)].sort()
}

it('SQL reads tables of other subgraphs only where this is declared with its reason', () => {
  const declared = Object.entries(reads).flatMap(([owner, tables]) =>
    Object.keys(tables).map((name) => `${owner} ${name}`),
  )
  expect(foreignTables(reading)).toEqual(declared.sort())
})

it('SQL writes no table of another subgraph', () => {
  expect(foreignTables(writing)).toEqual([])
})
