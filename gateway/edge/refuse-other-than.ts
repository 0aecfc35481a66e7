import { Refusal } from '../../subgraphs/kernel/errors.ts'

/** The handler of every other method of a path. */
export const refuseOtherThan =
  (...allow: string[]) =>
  (): never => {
    throw new Refusal('METHOD_NOT_ALLOWED', `Send ${allow.join(' or ')}.`, { allow })
  }
