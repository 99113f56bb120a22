// What a model can do.

export function CapabilityList({ capabilities }: { readonly capabilities: readonly string[] }) {
  return capabilities.length === 0 ? null : (
    <ul class="capabilities" aria-label="Capabilities">
      {capabilities.map((capability) => (
        <li key={capability}>{capability}</li>
      ))}
    </ul>
  );
}
