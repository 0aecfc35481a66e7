import { enumeration } from '../../kernel/record/column.ts'

export const ConflictHandling = enumeration(
  'ConflictHandling',
  'What an undo does where something has changed since.',
  {
    REFUSE:
      'Nothing is undone, and the refusal has all conflicts. A job compares all records before it undoes the first one; what it finds later stays.',
    SKIP: 'What has changed since stays, and the rest is undone.',
  },
)
export type ConflictHandling = keyof typeof ConflictHandling

export const UndoAction = enumeration('UndoAction', 'What an undo did to a record.', {
  DELETED: 'It was deleted, because the operation had created or restored it.',
  RESTORED: 'It was restored, because the operation had deleted it.',
  UPDATED: 'Fields got back their values.',
})

export const UndoLeft = enumeration('UndoLeft', 'Why something of an operation was not undone.', {
  CHANGED: 'It has changed since.',
  REFUSED: 'A rule, a right or a hook refuses it.',
  HAS_RECORDS: 'Records that the operation did not create refer to a record that it created.',
  NOT_WRITABLE: 'Only the platform sets the field.',
  NOT_A_RECORD:
    'Changes of this kind are not undone, and neither is what has left the platform, such as a mail that was sent.',
})

export const UndoJobStatus = enumeration('UndoJobStatus', 'How far an undo job is.', {
  QUEUED: 'It waits for its turn.',
  RUNNING: 'It compares the records with what the operation left, and then undoes them.',
  SUCCEEDED: 'It has come to its end. What it left as it is, `recordsNotUndone` counts.',
  FAILED: 'It has ended before: `errorCode` says why. What it had undone stays so.',
  ABORTED: 'A user ended it. What it had undone stays so.',
})
export type UndoJobStatus = keyof typeof UndoJobStatus
