export { registerUse } from './used-by.ts'
