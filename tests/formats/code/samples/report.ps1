# Reports large files of a folder.
param(
    [string]$Folder = "größe",
    [int]$Limit = 10
)

$total = 0
$names = @()

function Get-Weight {
    param([object]$File, [double]$Factor)
    $weight = $File.Length * $Factor
    if ($weight -gt 1000 -and $File.Name -ne "skip") {
        return $weight
    } elseif ($weight -eq 0) {
        return 1
    } else {
        return $weight / 2 - 1
    }
}

<# Looks at every file once. #>
foreach ($file in Get-ChildItem $Folder) {
    $weight = Get-Weight $file 2.5
    $total += $weight
    $names += $file.Name
    if ($names.Count -ge $Limit) {
        break
    }
}

$index = 0
while ($index -lt $names.Count) {
    Write-Output $names[$index]
    $index++
}

switch ($names.Count) {
    0 { Write-Output 'none' }
    1 { Write-Output 'one' }
    default { Write-Output "many" }
}

for ($round = 0; $round -lt 3; $round++) {
    $total = $total * 2
}

try {
    Remove-Item $names[0]
} catch {
    Write-Error "cannot remove"
}
