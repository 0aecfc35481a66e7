import { enumeration } from '../../kernel/record/column.ts'

export const FunctionLanguage = enumeration('FunctionLanguage', 'The language of the source of a function.', {
  javascript: 'JavaScript, one ES module.',
  typescript: 'TypeScript, one ES module. Types are removed, and not checked.',
})
export type FunctionLanguage = keyof typeof FunctionLanguage

export const InvocationStatus = enumeration('FunctionInvocationStatus', 'How an invocation of a function ended.', {
  SUCCEEDED: 'The handler returned a value.',
  FAILED:
    'The handler threw an error, the output was no JSON or too large, or the user whom the function acts as is not active.',
  TIMEOUT: 'The handler took longer than `timeoutMs`.',
  MEMORY_LIMIT: 'The handler needed more memory than `memoryMb`.',
  THROTTLED:
    'It did not run, because the organization has used what it may use in a minute, or too many invocations wait.',
  CRASHED: 'The process that ran the function ended for another reason.',
})
export type InvocationStatus = keyof typeof InvocationStatus

export const InvocationTrigger = enumeration('FunctionInvocationTrigger', 'What started an invocation of a function.', {
  HTTP: 'A call of the operation that invokes the function.',
  WORKFLOW: 'A step of a workflow.',
  ACTION: 'A custom action.',
  EVENT: 'An event, or a trigger after a record was saved.',
  SCHEDULE: 'The schedule of the function.',
  TEST: 'A test run.',
  HOOK: 'A hook before a record is saved.',
})
export type InvocationTrigger = keyof typeof InvocationTrigger

export const LogLevel = enumeration('FunctionLogLevel', 'How important a line of the log is.', {
  DEBUG: 'Written by `console.debug`.',
  INFO: 'Written by `console.log` and `console.info`.',
  WARN: 'Written by `console.warn`.',
  ERROR: 'Written by `console.error`.',
})
export type LogLevel = keyof typeof LogLevel
