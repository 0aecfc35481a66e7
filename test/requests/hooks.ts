import type { Sender } from './sender.ts'
import { freshPrefix } from './valid-values.ts'

/** A hook that is turned off, so that it decides on no record of the tests. */
const hook = () => ({
  name: `${freshPrefix()}hook`,
  url: 'https://hooks.example.com/decide',
  isActive: false,
})

const rest = () => ({
  description: 'Agreed in March.',
  operations: ['CREATE', 'DELETE'],
  timeoutMs: 1_000,
  failureMode: 'FAIL_CLOSED',
  position: 10,
  tags: ['hooks'],
})

export const hookBodies = {
  beforeSaveHookCreate: async (_requests: Sender, whole: boolean) => ({
    objectType: 'TASK',
    ...hook(),
    ...(whole && rest()),
  }),
  beforeSaveHookUpdate: async (_requests: Sender, whole: boolean) => (whole ? { ...hook(), ...rest() } : {}),
}
