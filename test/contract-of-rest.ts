import { loadContract, type Contract } from '../rest-adapter/contract.ts'
import { schemaPath } from '../subgraphs/kernel/config/paths.ts'

function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return
  Object.freeze(value)
  Object.values(value).forEach(freeze)
}

let contract: Contract | undefined

/** The REST contract, which all tests of a process share. It is frozen, so that none can change it for the others. */
export function restContract(): Contract {
  if (!contract) freeze((contract = loadContract(schemaPath('rest'))))
  return contract!
}
