import type { RecordEvents } from '../../kernel/record/event-types.ts'
import type { Opportunity } from './opportunity.ts'

const atProposal = {
  stage: 'PROPOSAL',
  probability: 55,
  forecastCategory: 'BEST_CASE',
  expectedRevenue: 26400,
} as const
const asWon = {
  stage: 'CLOSED_WON',
  probability: 100,
  forecastCategory: 'CLOSED',
  expectedRevenue: 48000,
  isClosed: true,
  isWon: true,
  closedAt: '2026-11-02T10:40:00.000Z',
} as const
const asLost = {
  stage: 'CLOSED_LOST',
  probability: 0,
  forecastCategory: 'OMITTED',
  expectedRevenue: 0,
  isClosed: true,
  isWon: false,
  closedAt: '2026-11-02T10:40:00.000Z',
  lossReason: 'PRICE',
} as const
const asOpen = { ...atProposal, isClosed: false, isWon: false, closedAt: null } as const

export const opportunityEvents: RecordEvents<Opportunity> = {
  types: {
    'opportunity.created': {
      operation: 'CREATE',
      description:
        'An opportunity was created, in the UI, through the API, by an import or by the conversion of a lead. One that is created in a closed stage has no other event.',
    },
    'opportunity.updated': {
      operation: 'UPDATE',
      description:
        'An opportunity was edited; previous holds the record before the change and changedFields lists the changed fields.',
      before: { amount: 42000, expectedRevenue: 23100, baseAmount: 45612 },
    },
    'opportunity.deleted': { operation: 'DELETE', description: 'An opportunity was deleted; it can be restored.' },
    'opportunity.restored': { operation: 'RESTORE', description: 'A deleted opportunity was restored.' },
    'opportunity.stage_changed': {
      operation: 'UPDATE',
      description: 'An opportunity moved to another stage.',
      adds: { previousStage: 'previous.stage', stage: 'record.stage' },
      before: { stage: 'QUALIFICATION', probability: 20, forecastCategory: 'PIPELINE', expectedRevenue: 9600 },
    },
    'opportunity.won': {
      operation: 'UPDATE',
      description: 'An opportunity moved to a stage in which it is won.',
      sample: asWon,
      before: asOpen,
    },
    'opportunity.lost': {
      operation: 'UPDATE',
      description: 'An opportunity moved to a stage in which it is lost.',
      adds: { lossReason: 'record.lossReason' },
      sample: asLost,
      before: { ...asOpen, lossReason: null },
    },
    'opportunity.reopened': {
      operation: 'UPDATE',
      description: 'A closed opportunity moved to an open stage.',
      before: { ...asLost },
    },
  },
}
