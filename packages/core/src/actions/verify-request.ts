export { replyVerifyRequestPage as showVerifyRequest } from './page-replies.ts'
