import { DirectiveLocation, GraphQLDirective } from 'graphql'
import { MutationDirective } from './mutation-directive.ts'

// `mutation @allowDuplicates`: the rules of duplicates of the organization refuse nothing. The gateway checks and removes the directive, and tells the
// subgraphs. `Prefer: duplicates=allow` is the same for a whole request.

export const allowDuplicates = new MutationDirective(
  new GraphQLDirective({
    name: 'allowDuplicates',
    locations: [DirectiveLocation.MUTATION],
    description:
      'The mutation is carried out although it makes records that are duplicates of others by the rules of the organization; without it, a rule with the action BLOCK refuses it with DUPLICATE_DETECTED. `Prefer: duplicates=allow` does the same.',
  }),
)
