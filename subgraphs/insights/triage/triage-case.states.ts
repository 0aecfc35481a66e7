import type { StateMachine } from '../../kernel/record/transitions.ts'
import type { TriageCase } from './triage-case.ts'
import type { TriageStatus } from './triage.enumerations.ts'

const save = 'triageSavePlan'
const execute = 'triageActionExecute'
const ends = { IGNORED: ['triageIgnore'], RESOLVED: ['triageResolve'] }

/** An ignored case is opened again by the scan alone. */
export const triageStates: StateMachine<TriageCase, TriageStatus> = {
  name: 'triage case',
  scope: 'WRITE_HEALTH_TRIAGE',
  transitions: {
    OPEN: {
      PLAN_SAVED: [save],
      IN_PROGRESS: [{ operation: execute, isPossible: (_ctx, { storedActions }) => storedActions.some(isExecutable) }],
      ...ends,
    },
    PLAN_SAVED: {
      PLAN_SAVED: [save],
      IN_PROGRESS: [{ operation: execute, isPossible: (_ctx, { storedActions }) => storedActions.some(isExecutable) }],
      ...ends,
    },
    IN_PROGRESS: { IN_PROGRESS: [save, execute], ...ends },
    IGNORED: { OPEN: [] },
    RESOLVED: {},
  },
}

export const isExecutable = ({ status }: { readonly status: string }): boolean =>
  status === 'SUGGESTED' || status === 'PLANNED'
