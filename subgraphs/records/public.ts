export { bulkJobFiles } from './bulk-job/bulk-content.ts'
