import { installIdentityProvider } from '../src/contenders/identity-provider.ts'
import { storedContenders } from '../src/contenders/contenders.ts'
import { testEachTask } from './support/test-each-task.ts'

installIdentityProvider()
testEachTask(storedContenders)
