import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LoadedSupergraph } from '../../gateway/graph/supergraph.ts'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { restContract } from '../contract-of-rest.ts'
import { recordsReadBy, unshaped } from './shaped-rest.ts'
import { relationsOf } from './standard-rest/relations.ts'

const graph = new LoadedSupergraph(readFileSync(schemaPath('supergraph.graphql'), 'utf8'))
const { operations, document } = restContract()

/** The reads that answer records, each with what it reads. */
const reads = operations.flatMap((operation) => {
  const read = operation.method === 'get' && operation.document ? recordsReadBy(operation.document, graph) : null
  return read ? [[operation.documentId, operation, read] as const] : []
})

/** What the read of one record answers beside the properties of its type, and only as a whole. */
const wholeOnly: Readonly<Record<string, readonly string[]>> = {
  emailThread: ['messages'],
  scenario: ['result', 'warnings', 'progress'],
  sequence: ['steps'],
}

describe('a read of records', () => {
  it.each(reads.filter(([id]) => !Object.hasOwn(unshaped, id)))(
    '%s takes `fields` with the properties that it answers, and `expand` if its records have related records',
    (id, { shaping }, { type, names }) => {
      expect([...(shaping?.fields ?? []), ...(wholeOnly[id] ?? [])].toSorted()).toEqual(names.toSorted())
      const related = relationsOf(graph, type.name, '').flatMap(({ name }) => (names.includes(name) ? [] : [name]))
      expect(new Set(shaping?.relations.keys())).toEqual(new Set(related))
    },
  )

  it.each(Object.keys(unshaped))('%s is there, and takes neither', (id) => {
    const found = reads.filter(([name]) => name === id)
    expect(found.map(([, { shaping }]) => shaping)).toEqual([null])
  })

  it('has the place in the contract that its handwritten file gives it, though its parameters are printed', () => {
    const paths = Object.keys(document.paths)
    const at = paths.indexOf('/v1/email-tracking/suppressions')
    expect(paths.slice(at - 2, at + 2)).toEqual([
      '/v1/email-tracking/imap/status',
      '/v1/email-tracking/imap/poll',
      '/v1/email-tracking/suppressions',
      '/v1/email-tracking/suppressions/{email}',
    ])
  })

  it('is one of the lists that a client reads', () => {
    const ids = reads.map(([id]) => id)
    expect(ids).toEqual(
      expect.arrayContaining([
        'accountTimeline',
        'activityRevisionList',
        'caseCommentList',
        'forecastList',
        'knowledgeDocumentList',
        'notificationList',
        'quotaList',
        'serverlessFunctionInvocationList',
        'webhookDeliveryList',
        'workflowRunList',
      ]),
    )
  })
})
