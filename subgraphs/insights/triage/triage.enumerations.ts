import { enumeration } from '../../kernel/record/column.ts'

export const TriageStatus = enumeration('TriageStatus', 'How far the work on an account at risk has come.', {
  OPEN: 'Nobody has decided on it.',
  PLAN_SAVED: 'There is a plan.',
  IN_PROGRESS: 'An action was executed.',
  IGNORED: 'It is put aside, until `ignoredUntil` or the end of the cooldown if the risk remains.',
  RESOLVED: 'It is finished: a user resolved it, or the risk fell below `autoResolveBelow`.',
})
export type TriageStatus = keyof typeof TriageStatus

export const TriageSeverity = enumeration('TriageSeverity', 'How high the risk of an account is.', {
  CRITICAL: 'At least `thresholds.critical`.',
  HIGH: 'At least `thresholds.high`.',
  MEDIUM: 'At least `thresholds.medium`, at which a case is opened.',
  LOW: 'Below `thresholds.medium`: the risk fell after the case was opened.',
})
export type TriageSeverity = keyof typeof TriageSeverity

export const TriageSignalKey = enumeration(
  'TriageSignalKey',
  'What raises or lowers the risk that an account leaves.',
  {
    BASE_RATE: 'The risk of an account of which nothing is known.',
    ENGAGEMENT_VELOCITY: 'The change of engagement over the last 14 days, -1 to 3.',
    SILENCE: 'Thirties of days without engagement of the customer.',
    CHAMPION_LEFT: '1 if a champion is INACTIVE and no other is left.',
    OPEN_CASES: 'Open cases that are URGENT or ESCALATED, at most 3.',
    CASES_REOPENED: 'Share of the cases of the lookback that were reopened.',
    INVOICES_OVERDUE: 'Share of the open balance that is overdue for more than 30 days.',
    PRODUCT_USAGE: 'The change of product usage over the last 14 days, -1 to 3.',
    RENEWAL: '1 if the anniversary of the last won deal is within 90 days and no RENEWAL deal is open.',
    HEALTH_DROP: '1 if the health fell by more than 15 points within 30 days.',
    PAYMENTS:
      'Recency, frequency and amount of the payments of a year by fifths of all paying accounts, -1 the best, 1 the lowest. Instead of SILENCE for an account without any activity that has paid.',
  },
)
export type TriageSignalKey = keyof typeof TriageSignalKey

export const TriageWeightsSource = enumeration('TriageWeightsSource', 'Where the weights of the signals are from.', {
  START: 'The weights of every organization at its start.',
  FITTED:
    'They were fitted to the accounts of the organization that have churned, because they predict the latest ones better.',
  ORGANIZATION: 'The organization has set them; they are not fitted.',
})
export type TriageWeightsSource = keyof typeof TriageWeightsSource

export const TriageActionType = enumeration('TriageActionType', 'What an action does.', {
  CREATE_TASK: 'Creates a task of the user who executes it.',
  SEND_EMAIL: 'Sends a mail. It is not suggested, because nobody has read the text.',
  SCHEDULE_MEETING: 'Creates a task of the type MEETING of the user who executes it.',
  ESCALATE_CASE: 'Sets the status of a support case to ESCALATED.',
  NOTIFY_OWNER: 'Notifies the owner of the account. It is not suggested, because the event `triage.opened` does.',
  ENROLL_SEQUENCE: 'Enrolls a contact in a sequence. It is not suggested, because no sequence is known to fit.',
  CUSTOM_ACTION:
    'Runs a custom action for the account. It is not suggested, because none is known to fit; a plan adds it.',
})
export type TriageActionType = keyof typeof TriageActionType

export const TriageActionStatus = enumeration('TriageActionStatus', 'What became of an action.', {
  SUGGESTED: 'The scan suggests it.',
  PLANNED: 'A plan contains it.',
  EXECUTED: 'It was executed.',
  FAILED: 'It was refused; `error` says why. A saved plan that contains it makes it PLANNED again.',
  SKIPPED: 'A plan leaves it out.',
})
export type TriageActionStatus = keyof typeof TriageActionStatus

export const TriageEntityType = enumeration(
  'TriageEntityType',
  'The type of a record that a signal or an action is about.',
  {
    ACCOUNT: 'An account.',
    ACTIVITY: 'An activity.',
    CASE: 'A support case.',
    CONTACT: 'A contact.',
    INVOICE: 'An invoice.',
    OPPORTUNITY: 'An opportunity.',
  },
)
export type TriageEntityType = keyof typeof TriageEntityType

export const TriageScanStatus = enumeration('TriageScanStatus', 'Whether a scan runs.', {
  IDLE: 'None runs or was requested.',
  QUEUED: 'One was requested and begins within a minute.',
  RUNNING: 'One runs.',
})
export type TriageScanStatus = keyof typeof TriageScanStatus
