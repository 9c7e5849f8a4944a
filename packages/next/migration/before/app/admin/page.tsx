export default function Page() {
  return <p>Settings</p>
}
