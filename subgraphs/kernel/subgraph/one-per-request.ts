import { Directive } from 'type-graphql'

/** The tag, in the graph as clients of the supergraph see it, of a mutation that a request may ask for once and without others of its kind. */
export const onePerRequestTag = 'one-per-request'

/** On mutations that try a secret or send a mail: limits count them by the request. */
export const OnePerRequest = (): MethodDecorator =>
  Directive(`@tag(name: "${onePerRequestTag}")`) as unknown as MethodDecorator
