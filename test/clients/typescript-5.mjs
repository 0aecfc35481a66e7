import { registerHooks } from 'node:module'

// @hey-api/openapi-ts accepts TypeScript 7 as its peer and then fails, because TypeScript 7 has no compiler API.
const typescript = import.meta.resolve('typescript')
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: typescript, shortCircuit: true } : next(specifier, context),
})
