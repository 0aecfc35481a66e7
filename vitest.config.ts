import { createRequire } from 'node:module'
import { defineConfig } from 'vitest/config'

const require = createRequire(import.meta.url)

export default defineConfig({
  // One copy of graphql for source and dependencies; two copies refuse each other's types.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql') }] },
  test: {
    include: ['{gateway,rest-adapter,subgraphs,test}/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**'],
    setupFiles: ['test/setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
