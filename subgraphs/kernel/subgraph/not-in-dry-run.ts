import { Directive } from 'type-graphql'

/** The `@tag` of mutations that are refused in a dry run. */
export const notInDryRunTag = 'not-in-dry-run'

/** For mutations whose answer is of no use if nothing happens, such as those that give credentials. What acts outside of the transaction is refused anyway. */
export const NotInDryRun = (): MethodDecorator =>
  Directive(`@tag(name: "${notInDryRunTag}")`) as unknown as MethodDecorator
